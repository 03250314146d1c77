// Broken archives: whatever is in a file, reading it throws nothing, and what is read can be imported.
import { expect, test } from 'vitest'
import { importBatches } from '../../../../web/features/account/import/import-batches.ts'
import { importArgs } from '../../../../worker/contract/threads/import-args.ts'
import { chatGptArchive, jsonFile, type SampleName, sampleText } from '../../../support/import-files.ts'
import { createRng, type Rng } from '../../../support/rng.ts'

const names: readonly SampleName[] = [
  'chatgpt-conversations',
  'claude-conversations',
  'librechat-tree',
  'librechat-flat',
  'open-webui',
  'parley',
  'every-kind-of-text',
]
const samples = names.map(sampleText)
const nowMs = Date.parse('2026-11-26T00:00:00Z')

const words = [
  '"parent"',
  'null',
  '{}',
  '[]',
  '-1',
  '1e999',
  '"\\ud800"',
  'true',
  '"__proto__"',
  '""',
  '[[[[',
  '}',
  '{"a":',
  '\\',
  '\u0000',
  '"q1"',
]

/** Cuts, repeats, moves or replaces stretches of the text. */
function broken(rng: Rng, text: string): string {
  let result = text
  for (let changes = 1 + rng.below(4); changes > 0; changes--) {
    const at = rng.below(result.length)
    const end = Math.min(result.length, at + rng.below(rng.chance(0.2) ? result.length : 40))
    const kind = rng.below(5)
    if (kind === 0) result = result.slice(0, at)
    else if (kind === 1) result = result.slice(0, at) + result.slice(end)
    else if (kind === 2) result = result.slice(0, end) + result.slice(at)
    else if (kind === 3) result = result.slice(0, at) + rng.pick(words) + result.slice(end)
    else result = result.slice(0, at) + String.fromCharCode(rng.below(300)) + result.slice(at + 1)
  }
  return result
}

const strange: readonly unknown[] = [
  null,
  '',
  'q1',
  'a1',
  'root',
  -5,
  1e300,
  0.5,
  true,
  [],
  {},
  [null],
  { parts: [1] },
  '\u0000\ud800',
  'x'.repeat(3000),
]

/** Replaces values of the document, which stays valid JSON: wrong types, and parents that do not exist or form circles. */
function reshaped(rng: Rng, value: unknown, depth = 0): unknown {
  if (depth > 0 && rng.chance(0.03)) return rng.pick(strange)
  if (Array.isArray(value)) return value.map((each) => reshaped(rng, each, depth + 1))
  if (typeof value !== 'object' || value === null) return value
  const ids = Object.keys(value)
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, each]) => {
      if (rng.chance(0.02)) return []
      const isParent = /parent/i.test(key) && rng.chance(0.3)
      return [
        [
          rng.chance(0.01) ? rng.pick(ids) : key,
          isParent ? rng.pick(['q1', 'a1', 'm1', 'u1', 'question-ada-0002', 'missing']) : reshaped(rng, each, depth + 1),
        ],
      ]
    }),
  )
}

/** Throws if a batch could not be imported. Returns the number of threads. */
async function check(file: File): Promise<number> {
  let threads = 0
  for await (const batch of importBatches({ files: [file], userId: 'exporting-user-0001', nowMs: () => nowMs })) {
    for (const thread of batch.threads) {
      threads += 1
      importArgs.parse({ threads: [thread] })
      const times = new Map<string, number>()
      for (const { id, parentId, createdAt } of thread.messages) {
        const above = parentId === null ? -1 : times.get(parentId)
        if (above === undefined || createdAt <= above || createdAt > nowMs || times.has(id)) throw new Error(`order of ${id}`)
        times.set(id, createdAt)
      }
      if (!times.has(thread.headId)) throw new Error('head')
    }
  }
  return threads
}

const files = process.env.PARLEY_LONG ? 10_000 : 500

test(
  'broken files',
  async () => {
    const archive = new Uint8Array(await (await chatGptArchive()).arrayBuffer())
    let threads = 0
    for (let seed = 0; seed < files; seed++) {
      const rng = createRng(seed)
      const kind = rng.below(5)
      let file: File
      if (kind === 0) {
        const bytes = archive.slice()
        for (let changes = 1 + rng.below(20); changes > 0; changes--) bytes[rng.below(bytes.length)] = rng.below(256)
        file = new File([rng.chance(0.1) ? bytes.slice(0, rng.below(bytes.length)) : bytes], 'broken.zip')
      } else if (kind < 3) file = jsonFile(broken(rng, rng.pick(samples)))
      else file = jsonFile(JSON.stringify(reshaped(rng, JSON.parse(rng.pick(samples)))))
      try {
        threads += await check(file)
      } catch (error) {
        throw new Error(`seed ${seed}`, { cause: error })
      }
    }
    // Most damage is small.
    expect(threads).toBeGreaterThan(files / 2)
  },
  process.env.PARLEY_LONG ? 1_800_000 : 300_000,
)
