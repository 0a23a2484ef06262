package main

// The picture of a state machine.
//
// The nodes stand below one another in the order of the source. An arc to the next node
// is a straight line; one that skips nodes runs in a lane to the right, one that
// leads back in a lane to the left. Arcs that overlap have lanes of their own, short ones
// the inner lanes. So a loop looks like a loop, and nothing crosses a node.

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// Sizes in pixels.
const (
	charWidth  = 7.3 // of the font, at its size
	lineHeight = 17
	nodeGap    = 38
	laneWidth  = 22
	margin     = 16
)

// A lane is where the arcs that are not straight run.
type lane struct {
	arc
	right bool
	depth int // from the nodes outwards, from 1
}

// svg writes a graph as a picture.
func svg(w io.Writer, g *graph) {
	width := 0.0
	top := make([]float64, len(g.nodes)+1)
	y := float64(margin + 2*lineHeight)
	for i, n := range g.nodes {
		top[i] = y
		for _, line := range n.lines {
			width = max(width, float64(utf8.RuneCountInString(line))*charWidth+20)
		}
		y += n.height() + nodeGap
	}
	height := y - nodeGap + margin
	lanes := g.lanes()
	leftLanes, rightLanes, leftText, rightText := 0, 0, 0.0, 0.0
	for _, l := range lanes {
		text := float64(utf8.RuneCountInString(l.label))*charWidth*0.85 + 8
		if l.right {
			rightLanes, rightText = max(rightLanes, l.depth), max(rightText, text)
		} else {
			leftLanes, leftText = max(leftLanes, l.depth), max(leftText, text)
		}
	}
	left := margin + float64(leftLanes)*laneWidth + leftText
	right := left + width
	total := max(right+float64(rightLanes)*laneWidth+rightText+margin, float64(utf8.RuneCountInString(g.title))*charWidth+2*margin)

	fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" width="%.0f" height="%.0f" font-family="ui-monospace, monospace" font-size="12">
<style>
svg { background: #fff }
text { fill: #1c2330 }
.label { font-size: 10px; fill: #5a6577; paint-order: stroke; stroke: #fff; stroke-width: 5px }
.small { font-size: 10px; fill: #5a6577 }
rect { fill: #f4f7fb; stroke: #8795ab }
rect.end { fill: #e4efe6 }
path { fill: none; stroke: #5a6577 }
marker path { fill: #5a6577; stroke: none }
@media (prefers-color-scheme: dark) {
svg { background: #16181d }
text { fill: #e4e8f0 }
.label { fill: #98a3b8; stroke: #16181d }
.small { fill: #98a3b8 }
rect { fill: #222833; stroke: #66738a }
rect.end { fill: #20362a }
path { stroke: #98a3b8 }
marker path { fill: #98a3b8 }
}
</style>
<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path d="M0 0L8 4L0 8z"/></marker></defs>
`, total, height, total, height)
	fmt.Fprintf(w, "<text x=\"%d\" y=\"%d\" font-weight=\"bold\">%s</text>\n", margin, margin+lineHeight-4, escapeXML(g.title))
	for i, n := range g.nodes {
		class, radius := "state", 4
		if n.start || n.ended {
			class, radius = "end", 14
		}
		fmt.Fprintf(w, "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"%d\"/>\n", class, left, top[i], width, n.height(), radius)
		for j, line := range n.lines {
			class := ""
			if j > 0 {
				class = ` class="small"`
			}
			fmt.Fprintf(w, "<text%s x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%s</text>\n", class, left+width/2, top[i]+20+float64(j)*lineHeight, escapeXML(line))
		}
	}
	labels := &strings.Builder{} // after all lines, so that none crosses them
	for _, a := range g.arcs {
		if a.to == a.from+1 {
			from, to := top[a.from]+g.nodes[a.from].height(), top[a.to]
			fmt.Fprintf(w, "<path d=\"M%.1f %.1fV%.1f\" marker-end=\"url(#tip)\"/>\n", left+width/2, from, to)
			fmt.Fprintf(labels, "<text class=\"label\" x=\"%.1f\" y=\"%.1f\">%s</text>\n", left+width/2+6, (from+to)/2+3, escapeXML(a.label))
		}
	}
	for i, l := range lanes {
		// Arcs leave a node near its bottom and arrive near its top, a little apart.
		shift := float64(i%4) * 3
		from := top[l.from] + g.nodes[l.from].height() - 5 - shift
		to := top[l.to] + 6 + shift
		side, x, anchor, text := right, right+float64(l.depth)*laneWidth, "start", 5.0
		if !l.right {
			side, x, anchor, text = left, left-float64(l.depth)*laneWidth, "end", -5.0
		}
		fmt.Fprintf(w, "<path d=\"M%.1f %.1fH%.1fV%.1fH%.1f\" stroke-linejoin=\"round\" marker-end=\"url(#tip)\"/>\n", side, from, x, to, side)
		fmt.Fprintf(labels, "<text class=\"label\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>\n", x+text, (from+to)/2+3+shift*2, anchor, escapeXML(l.label))
	}
	fmt.Fprint(w, labels)
	fmt.Fprintf(w, "</svg>\n")
}

func (n *node) height() float64 { return float64(len(n.lines))*lineHeight + 14 }

// lanes gives the arcs that are not straight a lane each, such that those which share
// one do not overlap.
func (g *graph) lanes() []lane {
	var out []lane
	for _, a := range g.arcs {
		if a.to != a.from+1 {
			out = append(out, lane{arc: a, right: a.to > a.from})
		}
	}
	span := func(l lane) (int, int) { return min(l.from, l.to), max(l.from, l.to) }
	slices.SortStableFunc(out, func(a, b lane) int {
		a0, a1 := span(a)
		b0, b1 := span(b)
		return cmp.Compare(a1-a0, b1-b0)
	})
	for i := range out {
		from, to := span(out[i])
		for depth := 1; out[i].depth == 0; depth++ {
			free := !slices.ContainsFunc(out[:i], func(l lane) bool {
				f, t := span(l)
				return l.right == out[i].right && l.depth == depth && f <= to && from <= t
			})
			if free {
				out[i].depth = depth
			}
		}
	}
	return out
}

func escapeXML(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // a Builder takes everything
	return b.String()
}
