package transform

// compilePackage returns the generated files of p.
func compilePackage(prog *program, p *sourcePackage, diags *diagnostics) []File {
	return nil
}
