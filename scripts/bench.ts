// `npm run bench`: measures figures and, in the same run, the floor of the machine. It reports and never fails because of a time. `--only
// S1,T1` selects by id. `--json FILE` writes { run, figures: [{ id, name, unit, points: [{ at, value, floor, … }] }] }.
import { execFileSync } from 'node:child_process'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus, loadavg } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { measureEcho } from '../tests/bench/echo.ts'
import { type Product, startProduct, unlimitedWrites } from '../tests/support/product.ts'
import { buildWhenStale } from './build.ts'
import {
  type BenchContext,
  type Benchmark,
  describeMachine,
  type Figures,
  type MachineDescription,
  machineInWords,
  table,
} from './lib/benchmark.ts'
import { fail } from './lib/console.ts'
import { rootDir } from './lib/paths.ts'

const benchDir = join(rootDir, 'tests', 'bench')

async function loadBenchmarks(): Promise<Benchmark[]> {
  const files = globSync('**/*.ts', { cwd: benchDir })
  const modules = await Promise.all(files.map((name) => import(join(benchDir, name)) as Promise<{ benchmarks?: readonly Benchmark[] }>))
  // Modules without the export are shared helpers.
  return modules.flatMap((module) => module.benchmarks ?? []).sort((a, b) => a.id.localeCompare(b.id, 'en', { numeric: true }))
}

function choose(all: readonly Benchmark[], only: string | undefined): readonly Benchmark[] {
  if (only === undefined) return all
  const ids = only.split(',')
  const unknown = ids.filter((id) => !all.some((benchmark) => benchmark.id === id))
  if (unknown.length > 0) throw new Error(`no benchmark has the id ${unknown.join(', ')}; there are ${all.map(({ id }) => id).join(', ')}`)
  return all.filter(({ id }) => ids.includes(id))
}

async function bench() {
  const { values } = parseArgs({ options: { only: { type: 'string' }, json: { type: 'string' } } })
  const chosen = choose(await loadBenchmarks(), values.only)
  const load = [loadavg()[0] ?? 0]
  await buildWhenStale('local')
  const echoBefore = await measureEcho()
  const stops: (() => Promise<void>)[] = []
  const context = contextOf((stop) => stops.push(stop))
  const figures: Figures[] = []
  try {
    for (const { run, ...benchmark } of chosen) {
      console.error(`${benchmark.id} ${benchmark.name} …`)
      figures.push({ ...benchmark, points: await run(context) })
    }
  } finally {
    for (const stop of stops.reverse()) await stop()
  }
  load.push(loadavg()[0] ?? 0)
  const machine = describeMachine(echoBefore, await measureEcho())
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify({ run: describeRun(load, machine), figures }, null, 2)}\n`)
  console.log(`\n${table(figures)}\n\n${machineInWords(machine)}`)
}

/** Describes the run, so that runs can be compared. A load far above 1, before or after, means that other processes were running. */
function describeRun(load: readonly number[], machine: MachineDescription) {
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: rootDir, encoding: 'utf8' }).trim()
  const { version: workerd } = JSON.parse(readFileSync(join(rootDir, 'node_modules', 'workerd', 'package.json'), 'utf8')) as {
    version: string
  }
  return { at: new Date().toISOString(), commit, node: process.version, workerd, cores: cpus().length, load, ...machine }
}

function contextOf(atEnd: BenchContext['atEnd']): BenchContext {
  let shared: Promise<Product> | undefined
  const start = async () => {
    const product = await startProduct({ env: unlimitedWrites })
    atEnd(() => product.stop())
    return product
  }
  return {
    atEnd,
    product: () => {
      shared ??= start()
      return shared
    },
  }
}

await bench().catch(fail('Parley: bench'))
