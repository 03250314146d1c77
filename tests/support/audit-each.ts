// Follows every test of a built product: what each one that runs has on disk is audited, also while answers are being written.
import { afterEach, expect } from 'vitest'
import { productsAtWork } from './product.ts'
import { auditRecord } from './record-file.ts'

afterEach(async () => {
  for (const { stateDir } of productsAtWork()) expect(await auditRecord(stateDir, true)).toEqual([])
})
