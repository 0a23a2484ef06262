package trace

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"maps"
	"reflect"
	"runtime"
	"slices"
	"strings"
)

const (
	maxDepth  = 4  // of nested values that are shown
	maxLen    = 6  // elements of one value that are shown
	maxString = 40 // bytes of a string that are shown
)

// Sprint formats a value with its dynamic type, and so that it is the same in
// every run: pointers are followed, functions and channels are not identified.
func Sprint(v any) string {
	if s, ok := v.(string); ok {
		return quote(s)
	}
	var b strings.Builder
	format(&b, reflect.ValueOf(v), 0)
	return b.String()
}

// quote shows a string, a long one by its beginning and a hash of the rest.
func quote(s string) string {
	if len(s) <= maxString {
		return fmt.Sprintf("%q", s)
	}
	h := fnv.New32a()
	h.Write([]byte(s))
	return fmt.Sprintf("%q+%d#%x", s[:maxString], len(s)-maxString, h.Sum32())
}

func format(b *strings.Builder, v reflect.Value, depth int) {
	if !v.IsValid() {
		b.WriteString("nil")
		return
	}
	if depth > maxDepth {
		b.WriteString("...")
		return
	}
	if err, ok := runtimeError(v); ok {
		fmt.Fprintf(b, "%T(%v)", err, err)
		return
	}
	switch v.Kind() {
	case reflect.Interface:
		format(b, v.Elem(), depth)
	case reflect.Pointer:
		if v.IsNil() {
			fmt.Fprintf(b, "(%v)(nil)", v.Type())
			return
		}
		b.WriteByte('&')
		format(b, v.Elem(), depth+1)
	case reflect.Struct:
		b.WriteString(v.Type().String())
		b.WriteByte('{')
		for i := range v.NumField() {
			if i > 0 {
				b.WriteByte(' ')
			}
			format(b, v.Field(i), depth+1)
		}
		b.WriteByte('}')
	case reflect.Slice, reflect.Array:
		if v.Kind() == reflect.Slice && v.IsNil() {
			fmt.Fprintf(b, "%v(nil)", v.Type())
			return
		}
		fmt.Fprintf(b, "%v[", v.Type())
		for i := range min(v.Len(), maxLen) {
			if i > 0 {
				b.WriteByte(' ')
			}
			format(b, v.Index(i), depth+1)
		}
		fmt.Fprintf(b, "]%d", v.Len())
	case reflect.Map:
		formatMap(b, v, depth)
	case reflect.Func:
		if v.IsNil() {
			b.WriteString("nil ")
		}
		b.WriteString(v.Type().String())
	case reflect.Chan:
		fmt.Fprintf(b, "%v(%d)", v.Type(), v.Len())
	case reflect.String:
		formatNamed(b, v, quote(v.String()))
	case reflect.Int:
		formatNamed(b, v, fmt.Sprint(v.Int()))
	default:
		formatNamed(b, v, fmt.Sprintf("%v", v))
	}
}

// runtimeError returns v as an error of the Go runtime.
func runtimeError(v reflect.Value) (runtime.Error, bool) {
	if !v.CanInterface() {
		return nil, false
	}
	err, ok := v.Interface().(runtime.Error)
	return err, ok
}

// formatNamed writes text, and v's type unless it is the default one for it.
func formatNamed(b *strings.Builder, v reflect.Value, text string) {
	switch name := v.Type().String(); name {
	case "int", "string", "bool":
		b.WriteString(text)
	default:
		fmt.Fprintf(b, "%s(%s)", name, text)
	}
}

// formatMap writes the entries in the order of their text.
func formatMap(b *strings.Builder, v reflect.Value, depth int) {
	if v.IsNil() {
		fmt.Fprintf(b, "%v(nil)", v.Type())
		return
	}
	var entries []string
	for it := v.MapRange(); it.Next(); {
		var e strings.Builder
		format(&e, it.Key(), depth+1)
		e.WriteByte(':')
		format(&e, it.Value(), depth+1)
		entries = append(entries, e.String())
	}
	slices.Sort(entries)
	fmt.Fprintf(b, "%v[%s]", v.Type(), strings.Join(entries, " "))
}

// Keys returns the keys of m in order, so that a program can range over a map
// and do the same in every run.
func Keys[K cmp.Ordered, V any](m map[K]V) []K {
	return slices.Sorted(maps.Keys(m))
}
