package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"parley"
	"parley/internal/api/admin"
	"parley/internal/server"
)

// auditCmd proves and copies what was done to accounts.
type auditCmd struct {
	Verify auditVerifyCmd `cmd:"" help:"Check that nothing was changed in an account's audit log, or taken out."`
	Export auditExportCmd `cmd:"" help:"Print what was done to an account, the oldest first."`
}

type auditVerifyCmd struct {
	Account string `placeholder:"ID" xor:"what" help:"Account whose log it is; the only one when left out."`
	File    string `placeholder:"FILE" xor:"what" help:"Check an export in JSON lines in its place."`
	Hash    string `placeholder:"HASH" help:"@audit-hash"`
}

// auditProof is what the command prints.
type auditProof struct {
	AccountID string `json:"accountId"`
	Rows      int64  `json:"rows"` // that fit
	Hash      string `json:"hash"` // of the last of them
	Intact    bool   `json:"intact"`
	HashFound *bool  `json:"hashFound,omitempty"` // whether a row has the hash that was given
}

// Run checks the whole chain. The exit status is 1 if a row does not fit, or none has the hash that is given.
func (c *auditVerifyCmd) Run(p *process) error {
	proof, err := c.check(p)
	if err != nil {
		return err
	}
	if p.commandLine.JSON {
		err = p.printJSON(proof)
	} else {
		err = p.printf("%s", proof.text(c.Hash))
	}
	if err == nil && !proof.isGood() {
		p.kong.Exit(1)
	}
	return err
}

func (c *auditVerifyCmd) check(p *process) (*auditProof, error) {
	if c.File != "" {
		return c.checkFile()
	}
	account, err := p.accountOrOnly(c.Account)
	if err != nil {
		return nil, err
	}
	proof := &auditProof{AccountID: account, Intact: true}
	for in := (admin.AuditCheck{AccountID: account, Look: c.Hash}); ; {
		out, err := runAdmin(p, admin.VerifyAudit, in)
		if err != nil {
			return nil, err
		}
		proof.Rows, proof.Hash, proof.Intact = out.Checked, out.Hash, !out.Broken
		proof.noteHash(c.Hash, out.Found)
		if isTerminal(p.stderr) {
			fmt.Fprint(p.stderr, formatBar("rows", out.Checked, out.Total, out.Done))
		}
		if out.Done {
			return proof, nil
		}
		in.After, in.Hash = out.Checked, out.Hash
	}
}

// noteHash notes whether the hash that was asked for was found so far.
func (a *auditProof) noteHash(wanted string, isFound bool) {
	if wanted == "" {
		return
	}
	if a.HashFound == nil {
		a.HashFound = new(bool)
	}
	*a.HashFound = *a.HashFound || isFound
}

// checkFile checks an export that was made without filters.
func (c *auditVerifyCmd) checkFile() (*auditProof, error) {
	f, err := os.Open(c.File)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	proof := &auditProof{Intact: true}
	last, err := admin.VerifyAuditFile(f, func(row *admin.AuditRow) {
		proof.noteHash(c.Hash, row.Hash == c.Hash)
	})
	proof.AccountID, proof.Rows, proof.Hash = string(last.Account), last.Seq, last.Hash
	proof.noteHash(c.Hash, false)
	switch {
	case errors.Is(err, admin.ErrAuditBroken):
		proof.Intact, err = false, nil
	case err == nil && last.Seq == 0:
		err = parley.NewErrorf(parley.CodeInvalidBody, "%s holds no row: the log of every account has one.", c.File)
	}
	return proof, asRefusal(err)
}

func (a *auditProof) isGood() bool { return a.Intact && (a.HashFound == nil || *a.HashFound) }

func (a *auditProof) text(wanted string) string {
	if !a.Intact {
		return fmt.Sprintf("BROKEN: row %d was changed, or a row before it is missing; %d rows before it fit.\n",
			a.Rows+1, a.Rows)
	}
	if a.HashFound != nil && !*a.HashFound {
		return fmt.Sprintf("BROKEN: all %d rows fit, and none has the hash %s: rows were cut off the end, or all of it was "+
			"written again.\n", a.Rows, wanted)
	}
	return fmt.Sprintf("All %d rows fit. The last hash, of which a copy elsewhere proves them, is\n%s\n", a.Rows, a.Hash)
}

type auditExportCmd struct {
	Account string `placeholder:"ID" help:"Account whose log it is; the only one when left out."`
	Format  string `default:"jsonl" enum:"jsonl,csv" help:"jsonl or csv (${default})."`
	Actor   string `placeholder:"WHO" help:"Only what one has done, such as operator or user:ID."`
	Action  string `placeholder:"ACTION" help:"Only acts of one kind, such as key.create."`
	From    string `placeholder:"DAY" help:"From this day or ISO 8601 time on."`
	To      string `placeholder:"DAY" help:"Up to this day or ISO 8601 time, which is included."`
	Out     string `short:"o" placeholder:"FILE" help:"Write a file, which must not be there yet."`
}

func (c *auditExportCmd) Run(p *process) error {
	account, err := p.accountOrOnly(c.Account)
	if err != nil {
		return err
	}
	in := admin.AuditExport{AccountID: account, Format: c.Format,
		AuditFilter: admin.AuditFilter{Actor: c.Actor, Action: c.Action, From: c.From, To: c.To}}
	export := func(w io.Writer) error {
		return admin.Download(p, p.adminClient(server.ModelConfig{}), admin.ExportAudit, in, w)
	}
	if c.Out == "" {
		return export(p.stdout)
	}
	f, err := os.OpenFile(c.Out, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, os.ErrExist) {
		return parley.NewErrorf(parley.CodeAlreadyExists, "%s is there already.", c.Out)
	}
	if err != nil {
		return err
	}
	if err := errors.Join(export(f), f.Close()); err != nil {
		return errors.Join(err, os.Remove(c.Out)) // part of a log proves nothing
	}
	return nil
}
