/** The composer of a thread. It reads the rows and renders the form, so that a key does not run the queries again. */
import { useSearch } from '@tanstack/react-router'
import { useEffect } from 'react'
import { newDraftKey } from '../../../../worker/contract/threads/draft-key.ts'
import { firstPaintText } from '../../../lib/i18n/first-paint-text.ts'
import { useStored } from '../../../lib/store.ts'
import { useModels, useServerDraft } from '../../../sync/hooks.ts'
import type { ProjectRow } from '../../../sync/rows.ts'
import { useSummaries, useThread } from '../../../sync/thread.ts'
import { ComposerForm } from './composer-form.tsx'
import { draftOf, moveDraft, setInMemory } from './drafts.ts'
import { askerOf, useNextModel } from './next-model.ts'
import { t } from './texts/en.ts'

type ComposerProps = {
  readonly threadId: string
  /** The message that the new one answers; null for the first. */
  readonly parentId: string | null
  /** The thread has no row yet; its draft is the draft of the next new or temporary thread. */
  readonly isNew: boolean
  /** The project in which a new thread starts, with its model. */
  readonly project: ProjectRow | undefined
  /** Another part of the page shows the remaining credits. */
  readonly isCountShown: boolean
}

export function Composer({ threadId, parentId, isNew, project, isCountShown }: ComposerProps) {
  const shown = useThread(threadId)
  const summaries = useSummaries(threadId)
  const { temporary } = useSearch({ strict: false })
  const isTemporary = isNew ? temporary === true : shown.thread?.expiresAt != null
  const draftKey = isNew ? newDraftKey(isTemporary) : threadId
  const serverDraft = useServerDraft(isNew ? null : threadId)
  const next = useNextModel(shown.thread, draftKey)
  const { comparedIds } = useStored(draftOf(draftKey), ({ choices }) => choices)
  const { models, isComplete } = useModels()
  const compared = comparedIds.flatMap((chosenId) => models.find(({ id }) => id === chosenId) ?? [])
  useEffect(() => {
    setInMemory(draftKey, isTemporary)
    if (isNew) moveDraft(threadId, draftKey)
  }, [isNew, isTemporary, threadId, draftKey])
  return (
    <ComposerForm
      threadId={threadId}
      parentId={parentId}
      draftKey={draftKey}
      isNew={isNew}
      isTemporary={isTemporary}
      projectId={isNew ? project?.id : undefined}
      placeholder={isNew && project ? t('askIn', { project: project.name }) : firstPaintText(isNew ? 'writeMessage' : 'writeReply')}
      isCountShown={isCountShown}
      shown={shown}
      summaries={summaries}
      serverDraft={serverDraft}
      me={askerOf(next)}
      modelOverride={next.override}
      compared={compared}
      hasChosenModels={!next.isMissing && (isComplete || compared.length === comparedIds.length)}
    />
  )
}
