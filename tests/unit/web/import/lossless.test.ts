// Whatever is in a file: each of its words is in the imported thread, or the import reports what it left out.
import { expect, test } from 'vitest'
import { isRecord } from '../../../../worker/contract/is-record.ts'
import { jsonFile, sampleText } from '../../../support/import-files.ts'
import { readImport } from '../../../support/read-import.ts'
import { createRng, type Rng } from '../../../support/rng.ts'

const wordsIn = (text: string): readonly string[] => [...new Set(text.match(/word\d+x/g))]

const conversations = JSON.parse(sampleText('every-kind-of-text')) as readonly Readonly<Record<string, unknown>>[]

/** Words that the import omits from each conversation on purpose, and the reported reasons. */
const leftOut: Readonly<Record<string, { readonly reasons: readonly string[]; readonly words: readonly string[] }>> = {
  'Everything of ChatGPT': {
    reasons: ['file_left_out', 'hidden_text', 'image_missing', 'sources_missing', 'tool_results'],
    words: ['word1x', 'word2x', 'word3x', 'word10x'],
  },
  'Everything of Claude': { reasons: ['file_left_out', 'tool_results'], words: ['word47x'] },
  'Everything of Open WebUI': {
    reasons: ['hidden_text', 'image_missing', 'tool_results'],
    words: ['word56x', 'word64x', 'word66x', 'word69x'],
  },
  'Everything of LibreChat': { reasons: ['file_left_out', 'hidden_text', 'tool_results'], words: ['word70x', 'word75x'] },
  'Everything of DeepSeek': { reasons: ['file_left_out', 'tool_results'], words: ['word83x', 'word85x', 'word90x'] },
}
/** Texts of tools, which are results if damage has removed the name of the tool or the kind of the text. */
const ofTools = ['word20x', 'word21x', 'word22x', 'word45x', 'word60x']

const titleIn = ({ title, name }: Readonly<Record<string, unknown>>): string => String(title ?? name)

async function outcomeOf(conversation: unknown) {
  const { threads, problems } = await readImport([jsonFile(JSON.stringify([conversation]))])
  const imported = new Set(wordsIn(JSON.stringify(threads)))
  const missing = wordsIn(JSON.stringify(conversation)).filter((word) => !imported.has(word))
  return { missing, reasons: problems.map(({ reason }) => reason).toSorted() }
}

test.each(conversations.map((conversation) => [titleIn(conversation), conversation] as const))(
  '%s: all texts are taken over but those that the import reports',
  async (title, conversation) => {
    const { missing, reasons } = await outcomeOf(conversation)
    expect({ words: missing, reasons }).toEqual(leftOut[title])
  },
)

/** Drops fields and items, and replaces values that have no words. */
function damaged(rng: Rng, value: unknown, rate: number, depth = 0): unknown {
  if (Array.isArray(value)) return value.filter(() => !rng.chance(2 * rate)).map((each) => damaged(rng, each, rate, depth + 1))
  if (!isRecord(value)) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([field, each]) => {
      // Without it, the file is of no known format.
      const isForm = ['mapping', 'chat_messages', 'chat', 'history', 'messages', 'inserted_at'].includes(field)
      if (depth > 0 && !isForm && rng.chance(rate)) return []
      if (!isForm && rng.chance(rate / 2) && wordsIn(JSON.stringify(each) ?? '').length === 0)
        return [[field, rng.pick([null, 7, 'other', [], {}, true])]]
      return [[field, damaged(rng, each, rate, depth + 1)]]
    }),
  )
}

const rounds = process.env.PARLEY_LONG ? 20_000 : 1500

/** Reasons that the import reports for texts of unknown meaning. */
const ofDamage: ReadonlySet<string> = new Set(['damaged', 'unknown_content'])

test('damaged conversations lose no word in silence', async () => {
  for (let seed = 0; seed < rounds; seed++) {
    const rng = createRng(seed)
    const whole = rng.pick(conversations)
    const conversation = damaged(rng, whole, rng.pick([0.005, 0.03, 0.12]))
    const { missing, reasons } = await outcomeOf(conversation)
    const expected = [...(leftOut[titleIn(whole)]?.words ?? []), ...ofTools]
    const lost = missing.filter((word) => !expected.includes(word))
    if (reasons.length > 0 && (lost.length === 0 || reasons.some((reason) => ofDamage.has(reason)))) continue
    expect({ missing, lost }, `seed ${seed}: ${reasons} ${JSON.stringify(conversation)}`).toEqual({ missing: [], lost: [] })
  }
}, 300_000)
