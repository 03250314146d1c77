/** Says an answer that was written while the person was here, once, when it is finished. Seen by nobody. */
import { useState } from 'react'
import { textOf } from '../../../worker/contract/messages.ts'
import { isWaitingPlan } from '../../../worker/contract/research.ts'
import type { Turn } from './turns.ts'

const maxSpokenChars = 600
const planText = 'The plan of the research is ready. Start it when it suits you.'

export function FinishedAnswer({ turns }: { readonly turns: readonly Turn[] }) {
  const last = turns.at(-1)
  const [watchedId, setWatchedId] = useState<string | null>(null)
  // Only an answer that was seen being written is news; opening an old thread says nothing.
  if (last?.kind === 'live' && last.id !== watchedId) setWatchedId(last.id)
  const finished = last?.kind === 'answer' && last.id === watchedId ? last : null
  return (
    <div role="status" aria-live="polite" className="sr-only">
      {finished && (isWaitingPlan(finished.message.parts) ? planText : `Answer finished. ${spoken(textOf(finished.message))}`)}
    </div>
  )
}

const spoken = (text: string): string => (text.length > maxSpokenChars ? `${text.slice(0, maxSpokenChars)}…` : text)
