/** The details of an answer: model, tokens, cost and times. */
import type { AnswerMetadata } from '../../../../worker/contract/messages.ts'
import { tokensOf } from '../../../../worker/contract/model-use.ts'
import { creditsText } from '../../../lib/format.ts'
import { costText, formatDuration, formatTokens, tokensDetail } from '../../../lib/format-use.ts'
import { useThread } from '../../../sync/thread.ts'
import { Dialog } from '../../../ui/dialog.tsx'
import { Definition, DefinitionList } from '../../../ui/section.tsx'
import { fallbackNote } from './ending-note.tsx'

type AnswerDetailsProps = { readonly threadId: string; readonly metadata: AnswerMetadata; readonly onClose: () => void }

export function AnswerDetails({ threadId, metadata, onClose }: AnswerDetailsProps) {
  const { modelName, credits, durationMs, firstWordMs } = metadata
  const note = fallbackNote(metadata)
  const { thread } = useThread(threadId)
  return (
    <Dialog open title="Details" onClose={onClose}>
      <div className="mt-4">
        <DefinitionList>
          <Definition name="Model">
            {modelName}
            {note && <span className="block text-xs text-muted-foreground">{note}</span>}
          </Definition>
          <Definition name="Price">{creditsText(credits)}</Definition>
          <Use metadata={metadata} />
          {durationMs !== undefined && <Definition name="Duration">{formatDuration(durationMs)}</Definition>}
          {firstWordMs !== undefined && <Definition name="Time to first word">{formatDuration(firstWordMs)}</Definition>}
        </DefinitionList>
      </div>
      {thread?.tokens != null && (
        <>
          <h3 className="mt-5 mb-2 text-sm font-medium">This thread</h3>
          <DefinitionList>
            <Definition name="Tokens">{formatTokens(thread.tokens)}</Definition>
            <Definition name="Estimated cost">{costText(thread) ?? 'Unknown'}</Definition>
          </DefinitionList>
          <p className="mt-2 text-xs text-muted-foreground">All versions of its answers, and its title.</p>
        </>
      )}
    </Dialog>
  )
}

function Use({ metadata: { use, demo } }: { readonly metadata: AnswerMetadata }) {
  if (demo) return <Definition name="Tokens">None: the demo model answered</Definition>
  if (!use) return <Definition name="Tokens">Not recorded</Definition>
  const tokens = tokensOf(use)
  return (
    <>
      <Definition name="Tokens">
        {tokens === null ? 'Unknown' : formatTokens(tokens)}
        {tokensDetail(use).map((side) => (
          <span key={side} className="block text-xs text-muted-foreground">
            {side}
          </span>
        ))}
      </Definition>
      <Definition name="Estimated cost">{costText(use) ?? 'Unknown'}</Definition>
    </>
  )
}
