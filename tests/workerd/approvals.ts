// A source of tools that counts its calls. The object under test is in its own bundle, so the two copies of this module share their state.
import { z } from 'zod'
import type { SourceTool, ToolCall, ToolSource } from '../../worker/chat/tools/registry.ts'
import type { ToolProgress } from '../../worker/contract/threads/messages.ts'
import type { InputAsk } from '../../worker/contract/tools/server-input.ts'

type Shared = {
  /** Every call that reached a tool, in order. */
  readonly sent: { readonly tool: string; readonly input: unknown }[]
  /** The answers of the user, one list for each call that was made again with them. */
  readonly answered: NonNullable<ToolCall['resumed']>[]
  /**
   * Set by a test: calls wait for `wait`, and before they are sent for `before`; the definitions of the tools have this digest. A call asks the
   * user `asks` before its result, and reports `progress`.
   */
  readonly gate: {
    wait: Promise<void> | null
    before: Promise<void> | null
    digest: string
    asks: readonly InputAsk[]
    progress: readonly ToolProgress[]
  }
}

const shared = globalThis as unknown as { countingSource?: Shared }
shared.countingSource ??= { sent: [], answered: [], gate: { wait: null, before: null, digest: '1', asks: [], progress: [] } }
export const { sent, answered, gate } = shared.countingSource

const input = z.object({ title: z.string().min(1), text: z.string(), delayMs: z.number().optional() }).refine(async () => {
  await gate.before
  return true
})

const counting = (name: string): SourceTool => ({
  name,
  title: 'Save a note',
  description: 'Saves a note.',
  inputSchema: input,
  isReadOnly: false,
  get digest() {
    return gate.digest
  },
  execute: async (given, { onProgress, resumed }) => {
    sent.push({ tool: name, input: given })
    if (resumed) answered.push(resumed)
    for (const progress of gate.progress) onProgress?.(progress)
    await gate.wait
    const round = Number(resumed?.callState ?? 0)
    const ask = gate.asks[round]
    if (ask) return { shown: null, forModel: 'Asks.', asks: { form: [ask], callState: String(round + 1) } }
    const { title } = given as z.infer<typeof input>
    return { shown: { saved: title }, forModel: { from: 'notes', text: `Saved: ${title}` } }
  },
})

export const countingSource: ToolSource = { id: 'test-notes', name: 'Test notes', tools: [counting('save_note'), counting('keep_note')] }
