/** What a server may have said while it was attacked, and what it may not. */
import { expect } from 'vitest'

const signsOfACrash =
  /uncaught|unhandled|"event":"(request_failed|connect failed|sync step failed|mutation failed|settling_failed)"|segfault|SIGABRT/i

/** `secrets`: cookies, tokens, and what people wrote. */
export function expectCalmLog(output: readonly string[], secrets: readonly string[]): void {
  expect(output.filter((line) => signsOfACrash.test(line))).toEqual([])
  const told = secrets.filter((secret) => output.some((line) => line.includes(secret)))
  expect(told).toEqual([])
}
