package transform

// withStale adds to the generated files what is on disk: the present contents,
// and the files to remove.
func (prog *program) withStale(files []File) ([]File, error) {
	return files, nil
}
