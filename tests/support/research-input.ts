/** The input of a research, with this history. */

import type { RowOf } from '../../worker/contract/schema.ts'
import type { ChatMessage } from '../../worker/contract/threads/messages.ts'
import type { GenerationInput } from '../../worker/contract/threads/turn.ts'

export const researchInput = (history: readonly ChatMessage[]): GenerationInput => ({
  history,
  model: { name: 'Model' } as RowOf<'model'>,
  fallbacks: [],
  mode: 'research',
  plan: 'pro',
  effort: null,
  profile: { name: 'Ada' },
})
