/** Drafts on the server: one for each thread, and one for the next new thread. */
import { useQuery, useZero } from '@rocicorp/zero/react'
import { useCallback } from 'react'
import type { SaveDraftArgs } from '../../worker/contract/draft-args.ts'
import { mutators } from '../../worker/contract/mutators.ts'
import { queries } from '../../worker/contract/queries.ts'
import { act, settled } from './actions.ts'
import type { Outcome } from './outcome.ts'
import { options } from './query-options.ts'
import type { DraftRow } from './rows.ts'

/** `threadId`: null for the next new thread. Undefined without a draft, or before its row has arrived. */
export const useServerDraft = (threadId: string | null): DraftRow | undefined => useQuery(queries.drafts.one({ threadId }), options)[0]

export function useSaveDraft(): (draft: SaveDraftArgs) => Promise<Outcome> {
  const zero = useZero()
  return useCallback((draft) => settled(act(zero, () => zero.mutate(mutators.drafts.save(draft)))), [zero])
}
