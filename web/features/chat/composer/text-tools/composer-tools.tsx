/** Draft sync, and the list of prompts and models. Loads with the first text or draft in a composer. */
import type { RefObject } from 'react'
import type { DraftRow } from '../../../../sync/rows.ts'
import { boundedPart } from '../../../../ui/section-error-boundary.tsx'
import { DraftSync } from './draft-sync.tsx'

/** A list that fails does not stop the sync of the draft. */
const InsertMenu = boundedPart('menu', () => import('./insert-menu.tsx').then((module) => module.InsertMenu))

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
  /** The sources of tools that are switched off. */
  readonly offTools: readonly string[]
  readonly fieldRef: RefObject<HTMLTextAreaElement | null>
}

export const ComposerTools = ({ draftKey, threadId, serverDraft, isTemporary, text, offTools, fieldRef }: ComposerToolsProps) => (
  <>
    {!isTemporary && <DraftSync draftKey={draftKey} threadId={threadId} row={serverDraft} fieldRef={fieldRef} />}
    {insertSign.test(text) && <InsertMenu draftKey={draftKey} offTools={offTools} fieldRef={fieldRef} />}
  </>
)
