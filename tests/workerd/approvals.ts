// A source of tools that counts its calls. The object under test is in its own bundle, so the two copies of this module share their state.
import { z } from 'zod'
import type { SourceTool, ToolSource } from '../../worker/chat/tools/registry.ts'

type Shared = {
  /** Every call that reached a tool, in order. */
  readonly sent: { readonly tool: string; readonly input: unknown }[]
  /** Set by a test: calls wait for `wait`, and before they are sent for `before`; the definitions of the tools have this digest. */
  readonly gate: { wait: Promise<void> | null; before: Promise<void> | null; digest: string }
}

const shared = globalThis as unknown as { countingSource?: Shared }
shared.countingSource ??= { sent: [], gate: { wait: null, before: null, digest: '1' } }
export const { sent, gate } = shared.countingSource

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
  execute: async (given) => {
    sent.push({ tool: name, input: given })
    await gate.wait
    const { title } = given as z.infer<typeof input>
    return { shown: { saved: title }, forModel: { from: 'notes', text: `Saved: ${title}` } }
  },
})

export const countingSource: ToolSource = { id: 'test-notes', name: 'Test notes', tools: [counting('save_note'), counting('keep_note')] }
