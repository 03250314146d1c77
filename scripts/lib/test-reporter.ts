// Vitest reporter for the summary of `npm test`: counts, failures and the duration of each file.
import { writeFileSync } from 'node:fs'
import { relative } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import type { Reporter, SerializedError, TestCase, TestModule, TestSuite } from 'vitest/node'
import { rootDir } from './paths.ts'

type Failure = { readonly file: string; readonly test: string; readonly errors: readonly string[] }
export type TestReport = {
  readonly passed: number
  readonly failures: readonly Failure[]
  readonly files: readonly { readonly file: string; readonly durationMs: number }[]
}

/** Environment variable with the path of the report. */
export const reportFileVariable = 'PARLEY_TEST_REPORT'

const errorLines = 8

export default class TestReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly SerializedError[]): void {
    const unhandled = unhandledErrors.map((error) => ({
      file: relative(rootDir, String(error.VITEST_TEST_PATH ?? rootDir)),
      test: `unhandled error, during ${error.VITEST_TEST_NAME ?? 'no test'}`,
      errors: [excerpt(error)],
    }))
    const report: TestReport = {
      passed: modules.flatMap((module) => [...module.children.allTests('passed')]).length,
      failures: [...modules.flatMap(failuresOf), ...unhandled],
      files: modules.map((module) => ({ file: fileOf(module), durationMs: durationMsOf(module) })),
    }
    writeFileSync(process.env[reportFileVariable] ?? '', JSON.stringify(report))
  }
}

/** Tests, and the suites and files with an error outside their tests: in a hook or an import. */
function failuresOf(module: TestModule): Failure[] {
  const failure = (test: string, errors: readonly SerializedError[]) => ({ file: fileOf(module), test, errors: errors.map(excerpt) })
  const containers: (TestModule | TestSuite)[] = [module, ...module.children.allSuites()]
  const outsideTests = containers
    .filter((container) => container.errors().length > 0)
    .map((container) => failure(container.type === 'suite' ? container.fullName : 'outside the tests', container.errors()))
  const tests = [...module.children.allTests('failed')]
  return [...outsideTests, ...tests.map((test) => failure(test.fullName, errorsOf(test)))]
}

const errorsOf = (test: TestCase): readonly SerializedError[] => test.result().errors ?? []

const fileOf = (module: TestModule): string => relative(rootDir, module.moduleId)

/** Includes imports and setup files, which can take longer than the tests. */
function durationMsOf(module: TestModule): number {
  const { environmentSetupDuration, prepareDuration, collectDuration, setupDuration, duration } = module.diagnostic()
  return environmentSetupDuration + prepareDuration + collectDuration + setupDuration + duration
}

function excerpt({ stack, message }: SerializedError): string {
  return stripVTControlCharacters(stack ?? message)
    .split('\n')
    .filter((line) => !line.includes('node_modules'))
    .slice(0, errorLines)
    .join('\n')
}
