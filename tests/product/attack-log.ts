/** The log lines that a server may and may not print during an attack. */
import { expect } from 'vitest'

const signsOfACrash =
  /uncaught|unhandled|"event":"(request_failed|connect_failed|sync_step_failed|mutation_failed|settling_failed)"|segfault|SIGABRT/i

/** `secrets`: cookies, tokens, and texts of users. */
export function expectCleanLog(output: readonly string[], secrets: readonly string[]): void {
  expect(output.filter((line) => signsOfACrash.test(line))).toEqual([])
  const leaked = secrets.filter((secret) => output.some((line) => line.includes(secret)))
  expect(leaked).toEqual([])
}
