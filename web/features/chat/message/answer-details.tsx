/** The details of an answer: why it is incomplete, model, tokens, cost and times. */

import { figuresOf, tokensOf } from '../../../../worker/contract/models/model-use.ts'
import type { AnswerMessage, AnswerMetadata } from '../../../../worker/contract/threads/messages.ts'
import { creditsText } from '../../../lib/format.ts'
import { formatNumber } from '../../../lib/i18n/intl-format.ts'
import { useThread } from '../../../sync/thread.ts'
import { Dialog } from '../../../ui/dialog.tsx'
import { Definition, DefinitionList } from '../../../ui/section.tsx'
import { endingText, fallbackNote, hasContent } from './ending-note.tsx'
import { costText, formatDuration, tokensDetail } from './format-use.ts'
import { t } from './texts/en.ts'

type AnswerDetailsProps = { readonly threadId: string; readonly message: AnswerMessage; readonly onClose: () => void }

export function AnswerDetails({ threadId, message: { metadata, parts }, onClose }: AnswerDetailsProps) {
  const { modelName, firstWordMs } = metadata
  const { credits, use, durationMs } = figuresOf(metadata)
  const note = fallbackNote(metadata)
  const ending = endingText(metadata, hasContent(parts))
  const { thread } = useThread(threadId)
  return (
    <Dialog open title={t('details')} onClose={onClose}>
      {ending && <p className="mt-2 text-sm text-muted-foreground">{ending}</p>}
      <div className="mt-4">
        <DefinitionList>
          <Definition name={t('model')}>
            {modelName}
            {note && <span className="block text-xs text-muted-foreground">{note}</span>}
          </Definition>
          <Definition name={t('price')}>{creditsText(credits)}</Definition>
          <Use use={use} demo={metadata.demo} />
          {durationMs !== undefined && <Definition name={t('duration')}>{formatDuration(durationMs)}</Definition>}
          {firstWordMs !== undefined && <Definition name={t('timeToFirstWord')}>{formatDuration(firstWordMs)}</Definition>}
        </DefinitionList>
      </div>
      {thread?.tokens != null && (
        <>
          <h3 className="mt-5 mb-2 text-sm font-medium">{t('thisThread')}</h3>
          <DefinitionList>
            <Definition name={t('tokens')}>{formatNumber(thread.tokens)}</Definition>
            <Definition name={t('estimatedCost')}>{costText(thread) ?? t('unknown')}</Definition>
          </DefinitionList>
          <p className="mt-2 text-xs text-muted-foreground">{t('threadUseDescription')}</p>
        </>
      )}
    </Dialog>
  )
}

function Use({ use, demo }: { readonly use: AnswerMetadata['use'] | undefined; readonly demo: true | undefined }) {
  if (demo) return <Definition name={t('tokens')}>{t('noTokensDemo')}</Definition>
  if (!use) return <Definition name={t('tokens')}>{t('notRecorded')}</Definition>
  const tokens = tokensOf(use)
  return (
    <>
      <Definition name={t('tokens')}>
        {tokens === null ? t('unknown') : formatNumber(tokens)}
        {tokensDetail(use).map((side) => (
          <span key={side} className="block text-xs text-muted-foreground">
            {side}
          </span>
        ))}
      </Definition>
      <Definition name={t('estimatedCost')}>{costText(use) ?? t('unknown')}</Definition>
    </>
  )
}
