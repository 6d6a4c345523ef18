package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// function finds the mutants of a function. A function inside of it returns errors of its own.
func (s *source) function(signature *ast.FuncType, body *ast.BlockStmt) {
	done := map[ast.Expr]bool{} // operands of conditions, which were met with them
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			s.function(n.Type, n.Body)
			return false
		case *ast.GenDecl:
			return n.Tok == token.VAR
		case *ast.BlockStmt:
			s.statements(n.List)
		case *ast.CommClause:
			s.statements(n.Body)
		case *ast.CaseClause:
			s.statements(n.Body)
			for _, e := range n.List {
				s.condition(e, done, true, true)
			}
		case *ast.IfStmt:
			s.condition(n.Cond, done, true, true)
		case *ast.ForStmt:
			if n.Cond != nil { // one that always holds does not end
				s.condition(n.Cond, done, false, true)
			}
		case *ast.ReturnStmt:
			s.returned(signature, n)
		case *ast.UnaryExpr:
			if n.Op == token.NOT {
				s.condition(n, done, true, true)
			}
		case *ast.BinaryExpr:
			if _, known := arithmetic[n.Op]; known {
				s.arithmetic(n)
			} else {
				s.condition(n, done, true, true)
			}
		case *ast.CallExpr:
			s.bounds(n)
		}
		return true
	})
}

// statements finds statements that can be left out.
func (s *source) statements(list []ast.Stmt) {
	for _, statement := range list {
		switch n := statement.(type) {
		case *ast.ExprStmt:
			if call, ok := n.X.(*ast.CallExpr); !ok || harmless(call) {
				continue
			}
		case *ast.DeferStmt:
			if harmless(n.Call) {
				continue
			}
		case *ast.AssignStmt:
			// Without its := a variable is undefined, and such a mutant does not compile.
			if blank, ok := n.Lhs[0].(*ast.Ident); n.Tok == token.DEFINE || ok && len(n.Lhs) == 1 && blank.Name == "_" {
				continue
			}
		case *ast.BranchStmt:
			if n.Tok != token.BREAK && n.Tok != token.CONTINUE {
				continue
			}
		case *ast.IncDecStmt:
		default:
			continue
		}
		s.wrap(statement, fmt.Sprintf("if !mutantIs(%d) { ", s.add(statement, "left out")), " }")
	}
}

// idle are calls that no result depends on, or that everything waits for.
var idle = []string{
	"Lock", "Unlock", "RLock", "RUnlock", "Done", "Wait", "Close", "Stop", "SetLimit", "cancel", "close", "stop", "panic",
	"Debug", "Info", "Warn", "Error", "DebugContext", "InfoContext", "WarnContext", "ErrorContext",
}

func harmless(call *ast.CallExpr) bool {
	switch f := call.Fun.(type) {
	case *ast.Ident:
		return slices.Contains(idle, f.Name)
	case *ast.SelectorExpr:
		return slices.Contains(idle, f.Sel.Name)
	}
	return false
}

// returned finds an error that can be returned as nil.
func (s *source) returned(signature *ast.FuncType, n *ast.ReturnStmt) {
	if signature.Results == nil || len(n.Results) != signature.Results.NumFields() {
		return
	}
	last := n.Results[len(n.Results)-1]
	declared, ok := signature.Results.List[len(signature.Results.List)-1].Type.(*ast.Ident)
	if !ok || declared.Name != "error" || s.info.Types[last].IsNil() {
		return
	}
	s.wrap(last, fmt.Sprintf("mutantError(%d, ", s.add(last, "returned as nil")), ")")
}

// condition finds operands that can be always true or always false. In a && b, a is tried only as true, because a
// false a is the same mutant as a false whole.
func (s *source) condition(e ast.Expr, done map[ast.Expr]bool, yes, no bool) {
	known := s.info.Types[e]
	plain := known.Type == types.Typ[types.Bool] || known.Type == types.Typ[types.UntypedBool]
	if done[e] || !known.IsValue() || known.Value != nil || !plain {
		return
	}
	done[e] = true

	binary, _ := e.(*ast.BinaryExpr)
	switch {
	case binary != nil && binary.Op == token.LAND:
		s.always(e, false, no)
		s.condition(binary.X, done, true, false)
		s.condition(binary.Y, done, true, false)
	case binary != nil && binary.Op == token.LOR:
		s.always(e, yes, false)
		s.condition(binary.X, done, false, true)
		s.condition(binary.Y, done, false, true)
	default:
		if inner, ok := e.(*ast.ParenExpr); ok {
			s.condition(inner.X, done, yes, no)
			return
		}
		// !a always true is the same mutant as a always false.
		if not, ok := e.(*ast.UnaryExpr); ok {
			done[not.X] = true
		}
		s.always(e, yes, no)
		s.boundary(e)
	}
}

func (s *source) always(e ast.Expr, yes, no bool) {
	if yes {
		s.wrap(e, fmt.Sprintf("(mutantIs(%d) || ", s.add(e, "always true")), ")")
	}
	if no {
		s.wrap(e, fmt.Sprintf("(!mutantIs(%d) && ", s.add(e, "always false")), ")")
	}
	s.wrap(e, "(", ")")
}

// boundary finds comparisons that can take the other side of their bound, also of times.
func (s *source) boundary(e ast.Expr) {
	var equal string
	with := true // the bound is added
	switch n := e.(type) {
	case *ast.BinaryExpr:
		if !slices.Contains([]token.Token{token.LSS, token.GTR, token.LEQ, token.GEQ}, n.Op) {
			return
		}
		equal = fmt.Sprintf("(%s) == (%s)", s.text(n.X), s.text(n.Y))
		with = n.Op == token.LSS || n.Op == token.GTR
	case *ast.CallExpr:
		f, ok := n.Fun.(*ast.SelectorExpr)
		if !ok || f.Sel.Name != "Before" && f.Sel.Name != "After" || len(n.Args) != 1 {
			return
		}
		if of := s.info.Types[f.X].Type; of == nil || of.String() != "time.Time" {
			return
		}
		equal = fmt.Sprintf("(%s).Equal(%s)", s.text(f.X), s.text(n.Args[0]))
	default:
		return
	}

	m := s.add(e, "boundary")
	if with {
		s.wrap(e, "(", fmt.Sprintf(" || mutantIs(%d) && %s)", m, equal))
	} else {
		s.wrap(e, "(", fmt.Sprintf(" && !(mutantIs(%d) && %s))", m, equal))
	}
}

var arithmetic = map[token.Token]string{token.ADD: "Add", token.SUB: "Sub", token.MUL: "Mul", token.QUO: "Quo"}

// number reports whether an expression is one that is computed.
func (s *source) number(e ast.Expr) bool {
	known := s.info.Types[e]
	if known.Type == nil || known.Value != nil {
		return false
	}
	basic, ok := known.Type.Underlying().(*types.Basic)
	return ok && basic.Info()&types.IsNumeric != 0
}

// arithmetic finds second operands that can be left out.
func (s *source) arithmetic(n *ast.BinaryExpr) {
	if !s.number(n) {
		return
	}
	s.wrap(n, fmt.Sprintf("mutant%s(%d, ", arithmetic[n.Op], s.add(n, "second operand left out")), ")")
	s.replace(n.OpPos, len(n.Op.String()), ",")
}

// bounds finds a min or max that can be left out.
func (s *source) bounds(n *ast.CallExpr) {
	name, ok := n.Fun.(*ast.Ident)
	if !ok || len(n.Args) != 2 || !s.number(n) {
		return
	}
	if _, builtin := s.info.Uses[name].(*types.Builtin); !builtin || name.Name != "min" && name.Name != "max" {
		return
	}
	helper := "mutant" + strings.ToUpper(name.Name[:1]) + name.Name[1:]
	s.replace(n.Pos(), len(name.Name), helper)
	s.at(n.Lparen + 1).open += fmt.Sprintf("%d, ", s.add(n, "second operand left out"))
}

// replace writes text in the place of some bytes.
func (s *source) replace(pos token.Pos, length int, text string) {
	e := s.at(pos)
	e.open, e.skip = e.open+text, length
}
