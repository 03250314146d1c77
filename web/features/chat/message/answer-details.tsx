/** The details of an answer: model, tokens, cost and times. */
import type { AnswerMetadata } from '../../../../worker/contract/messages.ts'
import { tokensOf } from '../../../../worker/contract/model-use.ts'
import { creditsText } from '../../../lib/format.ts'
import { costText, formatDuration, formatTokens, tokensDetail } from '../../../lib/format-use.ts'
import { useThread } from '../../../sync/thread.ts'
import { Dialog } from '../../../ui/dialog.tsx'
import { Fact, Facts } from '../../../ui/section.tsx'
import { fallbackNote } from './ending-note.tsx'

type AnswerDetailsProps = { readonly threadId: string; readonly metadata: AnswerMetadata; readonly onClose: () => void }

export function AnswerDetails({ threadId, metadata, onClose }: AnswerDetailsProps) {
  const { modelName, credits, durationMs, firstWordMs } = metadata
  const note = fallbackNote(metadata)
  const { thread } = useThread(threadId)
  return (
    <Dialog open title="Details" onClose={onClose}>
      <div className="mt-4">
        <Facts>
          <Fact name="Model">
            {modelName}
            {note && <span className="block text-xs text-muted-foreground">{note}</span>}
          </Fact>
          <Fact name="Price">{creditsText(credits)}</Fact>
          <Use metadata={metadata} />
          {durationMs !== undefined && <Fact name="Duration">{formatDuration(durationMs)}</Fact>}
          {firstWordMs !== undefined && <Fact name="Time to first word">{formatDuration(firstWordMs)}</Fact>}
        </Facts>
      </div>
      {thread?.tokens != null && (
        <>
          <h3 className="mt-5 mb-2 text-sm font-medium">This thread</h3>
          <Facts>
            <Fact name="Tokens">{formatTokens(thread.tokens)}</Fact>
            <Fact name="Estimated cost">{costText(thread) ?? 'Unknown'}</Fact>
          </Facts>
          <p className="mt-2 text-xs text-muted-foreground">All versions of its answers, and its title.</p>
        </>
      )}
    </Dialog>
  )
}

function Use({ metadata: { use, demo } }: { readonly metadata: AnswerMetadata }) {
  if (demo) return <Fact name="Tokens">None: the demo model answered</Fact>
  if (!use) return <Fact name="Tokens">Not recorded</Fact>
  const tokens = tokensOf(use)
  return (
    <>
      <Fact name="Tokens">
        {tokens === null ? 'Unknown' : formatTokens(tokens)}
        {tokensDetail(use).map((side) => (
          <span key={side} className="block text-xs text-muted-foreground">
            {side}
          </span>
        ))}
      </Fact>
      <Fact name="Estimated cost">{costText(use) ?? 'Unknown'}</Fact>
    </>
  )
}
