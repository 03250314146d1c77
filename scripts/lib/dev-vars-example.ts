// Generates `.dev.vars.example` from the list of settings.
import { settingDefinitions } from '../../worker/setting-definitions.ts'

const header = `# Every setting, one line each. \`npm start\` needs none of them: a missing setting is replaced by a stand-in, which GET /api/health lists.
# Copy this file to .dev.vars and remove the "# " before a NAME= to use it. In production each is a secret or a variable of the Worker.
`

export function devVarsExample(): string {
  const lines = Object.entries(settingDefinitions).map(([name, { line }]) => `# ${line}\n# ${name}=\n`)
  return [header, ...lines].join('\n')
}
