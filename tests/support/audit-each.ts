// Audits the data on disk of every running product after each test, also while answers stream.
import { afterEach, expect } from 'vitest'
import { runningProducts } from './product.ts'
import { auditRecord } from './record-file.ts'

afterEach(async () => {
  for (const { stateDir } of runningProducts()) expect(await auditRecord(stateDir, true)).toEqual([])
})
