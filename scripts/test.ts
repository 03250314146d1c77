// `npm test`: everything that CI runs, the fastest checks first, with a summary at the end. `--only unit,e2e` selects groups, `--long` runs
// the full counts (PARLEY_LONG).
// The lanes of a wave run in parallel: `product` waits for servers much of the time, and the CPU-bound groups fill these gaps.
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { fail } from './lib/console.ts'
import { cacheDir, rootDir } from './lib/paths.ts'
import { run } from './lib/run.ts'
import { scratchInMemory } from './lib/scratch.ts'
import { reportFileVariable, type TestReport } from './lib/test-reporter.ts'

type Group = { readonly name: string; readonly run: (show: boolean) => Promise<Ran> }
/** `output`: lines that were not printed during the run. */
type Ran = { readonly report: TestReport; readonly output: string }
type GroupReport = TestReport & { readonly group: string }

const resultsDir = join(cacheDir, 'test-results')

const node = (name: string, env: NodeJS.ProcessEnv = {}): Group => ({ name, run: (show) => vitest(name, 'node', show, env) })
/** The builds of React and of the Markdown parser that users get. Their development builds take twice as long. */
const productionPackages = { NODE_ENV: 'production' }

type Lane = readonly Group[]
/** The groups of a lane run sequentially, the lanes of a wave in parallel. */
const waves: readonly (readonly Lane[])[] = [
  [
    [{ name: 'check', run: (show) => script('check', [], show) }, node('unit', productionPackages), node('sim')],
    [{ name: 'build', run: (show) => script('build', ['--when-stale'], show) }, node('product')],
  ],
  // Each of these two alone: they keep all cores busy, and a starved page or object misses its timers.
  [[node('e2e')]],
  [[{ name: 'workerd', run: (show) => vitest('workerd', 'workerd', show) }]],
]

/** Check and build add no passed tests. Each adds one failure if it fails. */
async function script(name: string, args: readonly string[], show: boolean): Promise<Ran> {
  const { status, output } = await run('node', [`scripts/${name}.ts`, ...args], { show })
  return { report: { passed: 0, failures: exitFailures(name, status), files: [] }, output }
}

const exitFailures = (file: string, status: number): TestReport['failures'] =>
  status === 0 ? [] : [{ file, test: `exit code ${status}`, errors: [] }]

async function vitest(project: string, config: 'node' | 'workerd', show: boolean, env: NodeJS.ProcessEnv = {}): Promise<Ran> {
  const reportFile = join(resultsDir, `${project}.json`)
  rmSync(reportFile, { force: true })
  const reporters = ['--reporter=default', `--reporter=${join(rootDir, 'scripts', 'lib', 'test-reporter.ts')}`]
  const args = ['run', '--config', `tests/vitest.${config}.config.ts`, '--project', project, '--passWithNoTests', ...reporters]
  const { status, output } = await run('vitest', args, { show, env: { ...env, [reportFileVariable]: reportFile } })
  const { passed, failures, files } = readReport(reportFile)
  return { report: { passed, failures: failures.length > 0 ? failures : exitFailures(project, status), files }, output }
}

/** Empty if Vitest ended before it wrote a report. */
const readReport = (path: string): TestReport =>
  existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as TestReport) : { passed: 0, failures: [], files: [] }

async function test() {
  const { values } = parseArgs({ options: { only: { type: 'string' }, long: { type: 'boolean', default: false } } })
  if (values.long) process.env.PARLEY_LONG = '1'
  // Long runs may use the slower disk.
  const scratch = values.long ? undefined : scratchInMemory()
  if (scratch !== undefined) process.env.TMPDIR = scratch
  // The groups start hundreds of Node processes that load the same packages.
  process.env.NODE_COMPILE_CACHE = join(cacheDir, 'compiled')
  mkdirSync(resultsDir, { recursive: true })
  const reports: GroupReport[] = []
  for (const wave of choose(values.only)) {
    reports.push(...(await Promise.all(wave.map((lane) => runLane(lane, wave.length === 1)))).flat())
    if (reports.some(isFailedBuild)) break
  }
  printSummary(reports)
  process.exit(reports.every(({ failures }) => failures.length === 0) ? 0 : 1)
}

async function runLane(lane: Lane, alone: boolean): Promise<GroupReport[]> {
  const reports: GroupReport[] = []
  for (const group of lane) {
    reports.push(await runGroup(group, alone))
    if (reports.some(isFailedBuild)) break
  }
  return reports
}

/** After a failed build, the groups that need a build would test an older one. */
const isFailedBuild = ({ group, failures }: GroupReport): boolean => group === 'build' && failures.length > 0

async function runGroup({ name, run: runIt }: Group, alone: boolean): Promise<GroupReport> {
  const startedAt = performance.now()
  const heading = `\n── ${name} ${'─'.repeat(74 - name.length)}`
  if (alone) console.log(heading)
  const { report, output } = await runIt(alone)
  // Output of parallel groups is printed after each group ends, so that lines do not interleave.
  if (!alone) console.log(`${heading}\n${output}`)
  const failed = report.failures.length
  console.log(`── ${name}: ${failed === 0 ? 'ok' : `${failed} failed`}, ${seconds(performance.now() - startedAt)}`)
  return { group: name, ...report }
}

const slowestFiles = 10

/** Prints the slowest files of each group, then every failure, then the counts, with the most important information last. */
function printSummary(reports: readonly GroupReport[]): void {
  for (const { group, files } of reports.filter((report) => report.files.length > 0)) {
    const slowest = files.toSorted((a, b) => b.durationMs - a.durationMs).slice(0, slowestFiles)
    console.log(`\n${group}, slowest files:`)
    for (const { file, durationMs } of slowest) console.log(`${seconds(durationMs).padStart(10)}  ${file}`)
  }
  const failures = reports.flatMap((report) => report.failures)
  for (const { file, test, errors } of failures) console.log(`\nFailed: ${file}: ${test}\n${errors.join('\n')}`)
  const passed = reports.reduce((sum, report) => sum + report.passed, 0)
  console.log(`\n${passed} passed, ${failures.length} failed`)
}

const seconds = (durationMs: number): string => `${(durationMs / 1000).toFixed(1)} s`

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
