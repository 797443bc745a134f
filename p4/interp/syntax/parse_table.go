package syntax

func (p *parser) table(as Annotations) Decl {
	p.next()
	d := &TableDecl{}
	p.name(&d.Named, as, "the name of the table", false)
	p.body("before the properties of table '"+d.Name+"'", "table '"+d.Name+"'", func() { p.tableProperty(d) })
	return d
}

func (p *parser) tableProperty(d *TableDecl) {
	as := p.annotations()
	at := p.pos()
	isConst := p.accept("const")
	name := p.ident("a table property")
	p.expect("=", "after the property '"+name.Name+"'")
	switch name.Name {
	case "key":
		p.once(d.HasKey, name)
		d.HasKey = true
		p.keys(d)
		return
	case "actions":
		p.once(d.Actions != nil, name)
		p.actions(d)
		return
	case "entries":
		p.once(d.HasEntries, name)
		if !d.HasKey {
			p.errs.Errorf(name.Pos, "entries before the key of table '%s': the key comes first", d.Name)
		}
		d.HasEntries, d.ConstEntries = true, isConst
		p.entries(d)
		return
	}
	q := &Property{Named: Named{At: at, Annotations: as, Name: name.Name}, Const: isConst, Early: d.Actions == nil}
	if name.Name == "default_action" {
		q.Action = p.actionRef(nil)
	} else {
		q.Value = p.expr()
	}
	p.expect(";", "after the property '"+name.Name+"'")
	d.Properties = append(d.Properties, q)
}

func (p *parser) once(already bool, name Ident) {
	if already {
		p.errs.Errorf(name.Pos, "the table has a second property '%s'", name.Name)
	}
}

func (p *parser) keys(d *TableDecl) {
	p.body("before the keys", "the keys", func() {
		k := &KeyElement{At: p.pos(), Expr: p.expr()}
		p.expect(":", "between a key and its match kind")
		k.MatchKind = p.ident("a match kind")
		k.Annotations = p.annotations()
		p.expect(";", "after the key")
		d.Keys = append(d.Keys, k)
	})
	p.accept(";")
}

func (p *parser) actions(d *TableDecl) {
	d.Actions = []*ActionRef{}
	p.body("before the actions", "the actions", func() {
		d.Actions = append(d.Actions, p.actionRef(p.annotations()))
		p.expect(";", "after the action")
	})
	p.accept(";")
}

// actionRef reads "name" or "name(args)".
func (p *parser) actionRef(as Annotations) *ActionRef {
	r := &ActionRef{At: p.pos(), Annotations: as}
	n := &Name{ExprAt: ExprAt{At: r.At}, Global: p.accept(".")}
	n.Name = p.ident("an action").Name
	r.Name = n
	if p.is("(") {
		r.Args = p.args()
	}
	return r
}

func (p *parser) entries(d *TableDecl) {
	p.body("before the entries", "the entries", func() {
		e := &Entry{At: p.pos()}
		e.Annotations = p.annotations()
		e.Const = p.accept("const")
		if p.is("priority") && p.at(1).Is("=") {
			p.next()
			p.next()
			e.Priority = p.primary()
			p.expect(":", "after the priority")
		}
		e.Keys = p.keysets()
		p.expect(":", "between the key and the action of an entry")
		e.Action = p.actionRef(nil)
		e.Annotations = append(e.Annotations, p.annotations()...)
		p.expect(";", "after the entry")
		d.Entries = append(d.Entries, e)
	})
	p.accept(";")
}
