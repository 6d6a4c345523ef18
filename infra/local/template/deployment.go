package template

import (
	"regexp"
	"slices"

	"minicloud/infra/local/template/node"
)

// Deployment says how a function's alias moves to a new version. It has no effect locally: the host runs the only
// version there is.
type Deployment struct {
	Type   string   `yaml:"Type"`   // CodeDeploy's configuration without its prefix: "AllAtOnce", "Canary10Percent5Minutes"
	Alarms []string `yaml:"Alarms"` // names of alarms that roll back
	Role   string   `yaml:"Role"`   // ARN of CodeDeploy's role; "" means that sam creates one with a policy of AWS
}

// deploymentTypes are the configurations that sam completes to CodeDeploy's names.
var deploymentTypes = []string{
	"AllAtOnce", "Canary10Percent5Minutes", "Canary10Percent10Minutes", "Canary10Percent15Minutes",
	"Canary10Percent30Minutes", "Linear10PercentEvery1Minute", "Linear10PercentEvery2Minutes",
	"Linear10PercentEvery3Minutes", "Linear10PercentEvery10Minutes",
}

// aliasName is sam's form of an alias; all digits would be a version.
var aliasName = regexp.MustCompile(`^[a-zA-Z0-9_-]*[a-zA-Z_-][a-zA-Z0-9_-]*$`)

// versionAttribute is the attribute of a function for the number of its newest version.
const versionAttribute = "Version.Version"

func functionReference(b *builder, id, name string) node.Reference {
	r := arn("lambda", "function:")(b, id, name)
	r.Attributes[versionAttribute] = "1"
	return r
}

// checkPreference reports what sam refuses of AutoPublishAlias and DeploymentPreference.
func (b *builder) checkPreference(f *Function) {
	if f.Alias != "" && !aliasName.MatchString(f.Alias) {
		b.fail(f.ID, "AutoPublishAlias: %s must be letters, digits, - and _, and not only digits", f.Alias)
	}
	p := f.Deployment
	if p == nil {
		return
	}
	if f.Alias == "" {
		b.fail(f.ID, "DeploymentPreference needs AutoPublishAlias")
	}
	if !slices.Contains(deploymentTypes, p.Type) {
		b.fail(f.ID, "DeploymentPreference: the Type %q is none of %q", p.Type, deploymentTypes)
	}
	if len(p.Alarms) > 10 {
		b.fail(f.ID, "DeploymentPreference: %d alarms, CodeDeploy takes 10", len(p.Alarms))
	}
}

// checkDeployment reports a deployment whose alarms do not exist or whose role is too weak: CodeDeploy finds both
// out only when the second version is deployed, and then fails every deployment.
func (b *builder) checkDeployment(f *Function) {
	if f.Deployment == nil {
		return
	}
	for _, name := range f.Deployment.Alarms {
		if !slices.ContainsFunc(b.out.Alarms, func(a *Alarm) bool { return a.Name == name }) {
			b.fail(f.ID, "DeploymentPreference: the alarm %s is not in this template", name)
		}
	}

	if f.Deployment.Role == "" {
		return
	}
	grants, ours := b.roles[f.Deployment.Role]
	if !ours {
		b.fail(f.ID, "DeploymentPreference: the role %s is not in this template", f.Deployment.Role)
	}
	function := b.arn("lambda", "function:"+f.Name)
	for action, resource := range map[string]string{
		"lambda:GetAlias": function, "lambda:UpdateAlias": function, "cloudwatch:DescribeAlarms": "*",
		"lambda:GetProvisionedConcurrencyConfig": function + ":" + f.Alias,
	} {
		if !Allowed(grants, action, resource, "") {
			b.fail(f.ID, "the role of its deployment does not allow %s on %s", action, resource)
		}
	}
}
