package apiv1

import (
	"parley"
	"parley/internal/wire"
)

// The models that this interface began with. Agents have them under these names, and only this interface can give them.
const (
	gpt4  = "gpt-4"
	gpt35 = "gpt-3.5-turbo"
)

// mayUse checks a model that the caller names in a field. Fails with VALIDATION_INVALID_BODY for one that there is not, and with
// PLAN_FEATURE_NOT_AVAILABLE for gpt-4 on a plan that does not hold it (interface 4.10).
func (s *server) mayUse(plan parley.Plan, field, model string) error {
	switch {
	case model == gpt4 && !plan.GPT4:
		return parley.Failf(parley.CodePlanFeature, "The model %s is not part of the %s plan.", model, plan.Name)
	case model == gpt4, model == gpt35, s.Settable(model):
		return nil
	}
	return wire.Invalid(field, "is not a model that this server offers")
}
