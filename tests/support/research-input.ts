/** The input of a research, with this history. */
import type { ChatMessage } from '../../worker/contract/messages.ts'
import type { RowOf } from '../../worker/contract/schema.ts'
import type { GenerationInput } from '../../worker/contract/turn.ts'

export const researchInput = (history: readonly ChatMessage[]): GenerationInput => ({
  history,
  model: { name: 'Model' } as RowOf<'model'>,
  fallbacks: [],
  mode: 'research',
  plan: 'pro',
  effort: null,
  profile: { name: 'Ada' },
})
