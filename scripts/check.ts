// `npm run check`: types of all projects, lint and format, import rules, unused code and packages, generated files, and the lock file.
// All checks run concurrently and print output only on failure. `--fix` applies fixes of the formatter and linter. Warns of
// long files, and of known vulnerabilities if the registry answers.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { auditLines } from './lib/audit.ts'
import { fail } from './lib/console.ts'
import { lockProblems } from './lib/lock-file.ts'
import { rootDir } from './lib/paths.ts'
import { type Outcome, run } from './lib/run.ts'

const fix = process.argv.includes('--fix')

/** One checker: each of several infers the same types again, which takes three times the processor time. The projects run concurrently. */
const types = (project: string) => () => run('tsc', ['-p', project, '--pretty', 'false', '--checkers', '1'])

const checks: Readonly<Record<string, () => Promise<Outcome>>> = {
  'types of scripts': types('.'),
  'types of worker': types('worker'),
  'types of worker/contract': types('worker/contract'),
  'types of web': types('web'),
  'types of service worker': types('web/service-worker'),
  'types of tests': types('tests'),
  'types of tests/e2e': types('tests/e2e'),
  'lint and format': () => run('biome', ['check', '--error-on-warnings', ...(fix ? ['--write'] : []), '.']),
  'import rules': () => run('vitest', ['run', '--config', 'tests/vitest.node.config.ts', '--project', 'unit', 'tests/unit/layout.test.ts']),
  'unused code and packages': () => run('knip', ['--no-progress']),
  'generated files': () => run('node', ['scripts/generate.ts', ...(fix ? [] : ['--check'])]),
  'lock file': async () => checkLock(readFileSync(join(rootDir, 'package-lock.json'), 'utf8')),
}

function checkLock(lock: string): Outcome {
  const problems = lockProblems(lock)
  return { status: problems.length, output: problems.join('\n') }
}

/** Chosen: a longer file usually has two subjects. */
const longFileLines = 500

function warnOfLongFiles() {
  for (const path of globSync('{worker,web,tests,scripts}/**/*.{ts,tsx}', { cwd: rootDir })) {
    const lines = readFileSync(join(rootDir, path), 'utf8').trimEnd().split('\n').length
    if (lines > longFileLines) console.log(`  warning ${path} has ${lines} lines; has it two subjects?`)
  }
}

async function check() {
  const startedAt = performance.now()
  const audit = auditLines()
  const results = await Promise.all(Object.entries(checks).map(async ([name, work]) => ({ name, ...(await work()) })))
  for (const { name, status, output } of results) {
    console.log(`${status === 0 ? '  ok    ' : '  FAILED'} ${name}`)
    if (status !== 0) console.log(output.replaceAll(/^/gm, '         '))
  }
  warnOfLongFiles()
  for (const line of await audit) console.log(`  warning ${line}`)
  const failed = results.filter(({ status }) => status !== 0).length
  console.log(
    `  ${failed === 0 ? 'all passed' : `${failed} of ${results.length} failed`}, ${((performance.now() - startedAt) / 1000).toFixed(1)} s`,
  )
  process.exit(failed === 0 ? 0 : 1)
}

await check().catch(fail('Parley: check'))
