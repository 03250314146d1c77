/** Above the attachments: that the model was switched to one that reads them, or that the model cannot read them. */
import { useLayoutEffect } from 'react'
import { creditsFor } from '../../../../worker/contract/access.ts'
import { type AttachedFile, fileKindOf, fileRefusal } from '../../../../worker/contract/files/files.ts'
import type { TurnMode } from '../../../../worker/contract/models/modes.ts'
import { isNewThread } from '../../../../worker/contract/threads/draft-key.ts'
import { creditsText } from '../../../lib/format.ts'
import { refusalSentence } from '../../../lib/refusals/sentence.ts'
import { useServerNow } from '../../../lib/server-clock.ts'
import { useStore } from '../../../lib/store.ts'
import { useModels } from '../../../sync/hooks.ts'
import type { ModelRow } from '../../../sync/rows.ts'
import { useThread } from '../../../sync/thread.ts'
import { Button } from '../../../ui/button.tsx'
import { choose, draftOf } from './drafts.ts'
import { askerOf, useModelFor } from './next-model.ts'
import { Notice } from './notice.tsx'
import { RefusalAction } from './refusal-action.tsx'
import { switchOf } from './switch-model.ts'
import { t } from './texts/en.ts'

export type FileModelProps = {
  readonly draftKey: string
  /** Attached, or uploading. */
  readonly files: readonly Pick<AttachedFile, 'mediaType'>[]
  readonly mode: TurnMode
  /** The other models of a comparison. */
  readonly others: readonly ModelRow[]
  /** The refusal is shown as the reason why the message was not sent. */
  readonly isReported: boolean
  readonly onChooseModel: () => void
}

export function FileModel({ draftKey, files, mode, others, isReported, onChooseModel }: FileModelProps) {
  const { choices } = useStore(draftOf(draftKey))
  const { thread } = useThread(isNewThread(draftKey) ? undefined : draftKey)
  const { models } = useModels()
  const modelFor = useModelFor(thread)
  const nowMs = useServerNow()
  const { switchedFrom } = choices
  const former = switchedFrom ? askerOf(modelFor({ ...choices, ...switchedFrom }))?.model : undefined
  const isCompared = others.length > 0
  const next = modelFor(choices)
  const me = askerOf(next)
  const change = me && switchOf({ choices, files, mode, me, former, isCompared, models, answerId: next.answerId, nowMs })
  // Before the paint: the composer never shows the refusal of a model that is replaced.
  useLayoutEffect(() => {
    if (change) choose(draftKey, change)
  })
  if (change || !me?.model) return null
  if (switchedFrom)
    return (
      <Notice
        action={
          <Button size="sm" onClick={() => choose(draftKey, { ...switchedFrom, switchedFrom: null, keepsModel: true })}>
            {t('undoSwitch')}
          </Button>
        }
      >
        {switchedText(me.model, former, files)}
      </Notice>
    )
  const unread = [me.model, ...others].map((model) => fileRefusal(model, files)).find(Boolean)
  if (!unread || isReported) return null
  return (
    <Notice tone="warning" action={<RefusalAction code={unread.code} plan={me.plan} onChooseModel={onChooseModel} />}>
      {refusalSentence(unread)}
    </Notice>
  )
}

function switchedText(model: ModelRow, former: ModelRow | undefined, files: FileModelProps['files']): string {
  const kinds = new Set(files.map(({ mediaType }) => fileKindOf(mediaType)))
  const read = kinds.has('image') ? (kinds.has('document') ? 'imagesAndPdfs' : 'images') : 'pdfs'
  const isSamePrice = former === undefined || creditsFor(former) === creditsFor(model)
  return t('switchedModel', {
    model: isSamePrice ? model.name : t('modelAndPrice', { model: model.name, price: creditsText(creditsFor(model)) }),
    kinds: t(read),
  })
}
