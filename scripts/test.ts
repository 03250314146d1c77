// `npm test`: everything CI runs, in the order that finds mistakes soonest, and one line that sums it up.
// `--only unit,e2e` chooses groups, `--long` runs the full counts (PARLEY_LONG).
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { fail } from './lib/console.ts'
import { cacheDir } from './lib/paths.ts'
import { run } from './lib/run.ts'

type Count = { readonly passed: number; readonly failed: number }
type Group = { readonly name: string; readonly run: () => Promise<Count> }

const resultsDir = join(cacheDir, 'test-results')

const groups: readonly Group[] = [
  { name: 'check', run: () => script('check') },
  { name: 'build', run: () => script('build', ['--when-stale']) },
  { name: 'unit', run: () => vitest('unit', 'node') },
  { name: 'sim', run: () => vitest('sim', 'node') },
  { name: 'workerd', run: () => vitest('workerd', 'workerd') },
  { name: 'product', run: () => vitest('product', 'node') },
  { name: 'e2e', run: () => vitest('e2e', 'node') },
]

/** Check and build are no tests: they add nothing when they pass and one failure when they do not. */
async function script(name: string, args: readonly string[] = []): Promise<Count> {
  const { status } = await run('node', [`scripts/${name}.ts`, ...args], { show: true })
  return { passed: 0, failed: status === 0 ? 0 : 1 }
}

async function vitest(project: string, config: 'node' | 'workerd'): Promise<Count> {
  const resultFile = join(resultsDir, `${project}.json`)
  rmSync(resultFile, { force: true })
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${resultFile}`]
  const args = ['run', '--config', `tests/vitest.${config}.config.ts`, '--project', project, '--passWithNoTests', ...reporters]
  const { status } = await run('vitest', args, { show: true })
  if (!existsSync(resultFile)) return { passed: 0, failed: status === 0 ? 0 : 1 }
  const { numPassedTests: passed, numFailedTests } = JSON.parse(readFileSync(resultFile, 'utf8')) as VitestResult
  // A file that cannot be imported, or an error outside any test, fails the run without failing a test.
  return { passed, failed: Math.max(numFailedTests, status === 0 ? 0 : 1) }
}

type VitestResult = { readonly numPassedTests: number; readonly numFailedTests: number }

async function test() {
  const { values } = parseArgs({ options: { only: { type: 'string' }, long: { type: 'boolean', default: false } } })
  if (values.long) process.env.PARLEY_LONG = '1'
  mkdirSync(resultsDir, { recursive: true })
  const chosen = choose(values.only)
  const total = { passed: 0, failed: 0 }
  for (const group of chosen) {
    const startedAt = performance.now()
    console.log(`\n── ${group.name} ${'─'.repeat(74 - group.name.length)}`)
    const { passed, failed } = await group.run()
    total.passed += passed
    total.failed += failed
    console.log(`── ${group.name}: ${failed === 0 ? 'ok' : `${failed} failed`}, ${((performance.now() - startedAt) / 1000).toFixed(1)} s`)
    // Without a build, the rest would test an older one and say so about the newer.
    if (group.name === 'build' && failed > 0) break
  }
  console.log(`\n${total.passed} passed, ${total.failed} failed`)
  process.exit(total.failed === 0 ? 0 : 1)
}

function choose(only: string | undefined): readonly Group[] {
  if (only === undefined) return groups
  const names = only.split(',')
  const unknown = names.filter((name) => !groups.some((group) => group.name === name))
  if (unknown.length > 0) throw new Error(`no group called ${unknown.join(', ')}; there are ${groups.map(({ name }) => name).join(', ')}`)
  const needsBuild = names.some((name) => ['product', 'e2e', 'workerd'].includes(name))
  return groups.filter(({ name }) => names.includes(name) || (name === 'build' && needsBuild))
}

await test().catch(fail('Parley: tests could not run'))
