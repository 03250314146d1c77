// `npm test`: everything CI runs, in the order that finds mistakes soonest, and one line that sums it up.
// `--only unit,e2e` chooses groups, `--long` runs the full counts (PARLEY_LONG).
// Lanes of one wave run side by side: `product` and `e2e` wait for servers and pages much of the time, which leaves room for what only
// computes. That goes behind them (nice): a person's patience is what they stand for, and nobody waits for the other.
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { fail } from './lib/console.ts'
import { cacheDir } from './lib/paths.ts'
import { type RunOptions, run } from './lib/run.ts'
import { scratchInMemory } from './lib/scratch.ts'

type Count = { readonly passed: number; readonly failed: number }
type Group = { readonly name: string; readonly run: (show: boolean) => Promise<Ran> }
/** `output` is what was not shown while it ran. */
type Ran = { readonly count: Count; readonly output: string }

const resultsDir = join(cacheDir, 'test-results')

const node = (name: string): Group => ({ name, run: (show) => vitest(name, 'node', show) })
const behind = { priority: constants.priority.PRIORITY_BELOW_NORMAL }
const computed = (name: string, config: 'node' | 'workerd'): Group => ({ name, run: (show) => vitest(name, config, show, behind) })

type Lane = readonly Group[]
/** One after the other, as the groups of one lane are; the lanes of one wave at the same time. */
const waves: readonly (readonly Lane[])[] = [
  [[{ name: 'check', run: (show) => script('check', [], show) }]],
  [[{ name: 'build', run: (show) => script('build', ['--when-stale'], show) }]],
  [
    [computed('unit', 'node'), computed('sim', 'node'), computed('workerd', 'workerd')],
    [node('product'), node('e2e')],
  ],
]

/** Check and build are no tests: they add nothing when they pass and one failure when they do not. */
async function script(name: string, args: readonly string[], show: boolean): Promise<Ran> {
  const { status, output } = await run('node', [`scripts/${name}.ts`, ...args], { show })
  return { count: { passed: 0, failed: status === 0 ? 0 : 1 }, output }
}

async function vitest(
  project: string,
  config: 'node' | 'workerd',
  show: boolean,
  { priority }: Pick<RunOptions, 'priority'> = {},
): Promise<Ran> {
  const resultFile = join(resultsDir, `${project}.json`)
  rmSync(resultFile, { force: true })
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${resultFile}`]
  const args = ['run', '--config', `tests/vitest.${config}.config.ts`, '--project', project, '--passWithNoTests', ...reporters]
  const { status, output } = await run('vitest', args, { show, priority })
  if (!existsSync(resultFile)) return { count: { passed: 0, failed: status === 0 ? 0 : 1 }, output }
  const { numPassedTests: passed, numFailedTests } = JSON.parse(readFileSync(resultFile, 'utf8')) as VitestResult
  // A file that cannot be imported, or an error outside any test, fails the run without failing a test.
  return { count: { passed, failed: Math.max(numFailedTests, status === 0 ? 0 : 1) }, output }
}

type VitestResult = { readonly numPassedTests: number; readonly numFailedTests: number }

async function test() {
  const { values } = parseArgs({ options: { only: { type: 'string' }, long: { type: 'boolean', default: false } } })
  if (values.long) process.env.PARLEY_LONG = '1'
  // The long counts have the time to go by the disk.
  const scratch = values.long ? undefined : scratchInMemory()
  if (scratch !== undefined) process.env.TMPDIR = scratch
  mkdirSync(resultsDir, { recursive: true })
  const chosen = choose(values.only)
  const total = { passed: 0, failed: 0 }
  for (const wave of chosen) {
    const counts = (await Promise.all(wave.map((lane) => runLane(lane, wave.length === 1)))).flat()
    for (const { passed, failed } of counts) {
      total.passed += passed
      total.failed += failed
    }
    // Without a build, the rest would test an older one and say so about the newer.
    if (wave[0]?.[0]?.name === 'build' && counts[0]?.failed) break
  }
  console.log(`\n${total.passed} passed, ${total.failed} failed`)
  process.exit(total.failed === 0 ? 0 : 1)
}

async function runLane(lane: Lane, alone: boolean): Promise<Count[]> {
  const counts: Count[] = []
  for (const group of lane) counts.push(await runGroup(group, alone))
  return counts
}

async function runGroup({ name, run: runIt }: Group, alone: boolean): Promise<Count> {
  const startedAt = performance.now()
  const heading = `\n── ${name} ${'─'.repeat(74 - name.length)}`
  if (alone) console.log(heading)
  const { count, output } = await runIt(alone)
  // Lines of two groups among each other could not be read: each is printed when it has ended.
  if (!alone) console.log(`${heading}\n${output}`)
  console.log(
    `── ${name}: ${count.failed === 0 ? 'ok' : `${count.failed} failed`}, ${((performance.now() - startedAt) / 1000).toFixed(1)} s`,
  )
  return count
}

function choose(only: string | undefined): readonly (readonly Lane[])[] {
  if (only === undefined) return waves
  const names = only.split(',')
  const all = waves.flat(2).map(({ name }) => name)
  const unknown = names.filter((name) => !all.includes(name))
  if (unknown.length > 0) throw new Error(`no group called ${unknown.join(', ')}; there are ${all.join(', ')}`)
  const needsBuild = names.some((name) => ['product', 'e2e', 'workerd'].includes(name))
  return waves
    .map((wave) => wave.map((lane) => lane.filter(({ name }) => names.includes(name) || (name === 'build' && needsBuild))))
    .map((wave) => wave.filter((lane) => lane.length > 0))
    .filter((wave) => wave.length > 0)
}

await test().catch(fail('Parley: tests could not run'))
