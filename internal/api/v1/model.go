package v1

import (
	"parley"
	"parley/internal/httpapi"
)

// gpt4 is the model that not every plan holds.
const gpt4 = "gpt-4"

// checkModel checks a model that the caller names in a field: integrations go on naming models that agents are not given any more. Fails
// with VALIDATION_INVALID_BODY for one that there is not, and with PLAN_FEATURE_NOT_AVAILABLE for gpt-4 on a plan that does not hold
// it (interface 4.10).
func (s *server) checkModel(plan parley.Plan, field, model string) error {
	if model == gpt4 && !plan.GPT4Models {
		return parley.NewErrorf(parley.CodePlanFeature, "The model %s is not part of the %s plan.", model, plan.Name)
	}
	if _, known := s.Chat.Models.Lookup(model); !known {
		return httpapi.InvalidField(field, "is not a model that this server offers")
	}
	return nil
}
