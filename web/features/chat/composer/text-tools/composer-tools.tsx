/** Draft sync, the list of prompts and models, and what servers insert. Loads with the first text or draft in a composer. */
import type { RefObject } from 'react'
import { useStored } from '../../../../lib/store.ts'
import type { DraftRow } from '../../../../sync/rows.ts'
import { boundedPart } from '../../../../ui/section-error-boundary.tsx'
import { serverChoice } from '../server-inserts/server-choice.ts'
import { DraftSync } from './draft-sync.tsx'

/** A list that fails does not stop the sync of the draft. */
const InsertMenu = boundedPart('menu', () => import('./insert-menu.tsx').then((module) => module.InsertMenu))

const ServerInsert = boundedPart('notification', () => import('../server-inserts/server-insert.tsx').then((module) => module.ServerInsert))

/** `/` or `@` at the start of a word, or a variable of a prompt. `InsertMenu` also checks the position of the caret. */
const insertSign = /(^|\s)[/@]|\{\{/

type ComposerToolsProps = {
  readonly draftKey: string
  /** Null: the next new thread. */
  readonly threadId: string | null
  readonly serverDraft: DraftRow | undefined
  /** The text of a temporary thread stays in this browser until it is sent. */
  readonly isTemporary: boolean
  readonly text: string
  /** Ids of the sources of tools whose switch was moved (`isSourceOn`). */
  readonly offTools: readonly string[]
  readonly fieldRef: RefObject<HTMLTextAreaElement | null>
}

export function ComposerTools({ draftKey, threadId, serverDraft, isTemporary, text, offTools, fieldRef }: ComposerToolsProps) {
  const chosen = useStored(serverChoice, (choice) => (choice?.draftKey === draftKey ? choice : null))
  return (
    <>
      {!isTemporary && <DraftSync draftKey={draftKey} threadId={threadId} row={serverDraft} fieldRef={fieldRef} />}
      {insertSign.test(text) && <InsertMenu draftKey={draftKey} offTools={offTools} fieldRef={fieldRef} />}
      {chosen && <ServerInsert choice={chosen} />}
    </>
  )
}
