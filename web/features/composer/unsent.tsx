/**
 * Looks after texts whose page is closed, or was hidden for long, until the server has confirmed them. One that is refused, or that nobody
 * ever heard of, is in the composer again, with a sentence that says so. Draws nothing.
 */
import { useEffect } from 'react'
import { draftOf, isEmpty, newThreadKey, setDraft } from '../../stores/drafts.ts'
import { forgetUnsent, returnedTo, type Unsent, unsentLeft } from '../../stores/outbox.ts'
import { useStore } from '../../stores/store.ts'
import { chooseTurnMode } from '../../stores/turn-modes.ts'
import { useConnection, useThread } from '../../sync/hooks.ts'
import { fateOf } from './unsent-fate.ts'

/** What this browser has kept is delivered within moments of connecting; until then an absent row proves nothing. */
const untilLostMs = 3000

export const UnsentMessages = () => [...useStore(unsentLeft).values()].map((unsent) => <Watched key={unsent.messageId} unsent={unsent} />)

function Watched({ unsent }: { readonly unsent: Unsent }) {
  const shown = useThread(unsent.threadId)
  const fate = fateOf(unsent, shown, useConnection().status === 'connected')
  const draftKey = shown.state === 'found' ? unsent.threadId : newThreadKey
  useEffect(() => {
    if (fate !== 'confirmed' && fate !== 'lost') return undefined
    const end = () => {
      if (fate === 'lost') giveBack(unsent, draftKey)
      forgetUnsent(unsent.messageId)
    }
    const timer = setTimeout(end, fate === 'lost' ? untilLostMs : 0)
    return () => clearTimeout(timer)
  }, [fate, unsent, draftKey])
  return null
}

function giveBack({ text, files, mode }: Unsent, draftKey: string): void {
  const draft = draftOf(draftKey).get()
  // The page that sent it may have managed to give it back before it closed.
  if (draft.text === text && draft.files.length === files.length) return
  const isFree = isEmpty(draft) && !draft.editing
  if (isFree) {
    setDraft(draftKey, { text, files })
    chooseTurnMode(draftKey, mode)
  }
  returnedTo(draftKey).set({
    message: 'A message that was on its way was not accepted.',
    unsent: isFree ? null : { text, files, mode },
  })
}
