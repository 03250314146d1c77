// The bot's configuration names packages that this project has.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { rootDir } from '../../../scripts/lib/paths.ts'

const read = (file: string) => JSON.parse(readFileSync(join(rootDir, file), 'utf8'))

test('every package with a rule is a direct dependency, and one that is held back has a reason', () => {
  const { dependencies, devDependencies, optionalDependencies } = read('package.json')
  const own = Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies })
  const rules = read('renovate.json').packageRules as { [key: string]: unknown; matchPackageNames: string[] }[]
  const isOwn = (name: string) => own.some((other) => other === name || (name.endsWith('/**') && other.startsWith(name.slice(0, -2))))
  expect(rules.flatMap(({ matchPackageNames }) => matchPackageNames).filter((name) => !isOwn(name))).toEqual([])
  const heldBack = rules.filter((rule) => 'allowedVersions' in rule || 'dependencyDashboardApproval' in rule)
  expect(heldBack.filter(({ description }) => typeof description !== 'string')).toEqual([])
})
