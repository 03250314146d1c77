/** D1 in memory with the product's migrations, for tests that run thousands of statements. */
import { MemoryD1 } from './node-object/memory-d1.ts'

export type NodeD1 = D1Database & {
  /** Called with every statement before it or its batch runs, which wait for it; an error it throws becomes D1's error. */
  onStatement: (sql: string) => void | Promise<void>
}

export function createNodeD1(): NodeD1 {
  const binding = new MemoryD1().binding(async (texts, run) => {
    // Another task may run between a request and its response, as over a network.
    await null
    for (const text of texts) await d1.onStatement(text)
    return run()
  })
  const d1: NodeD1 = Object.assign(binding, { onStatement: () => undefined })
  return d1
}
