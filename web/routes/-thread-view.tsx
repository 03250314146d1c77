/** What shows while the conversation loads. */
import { WaitingWords } from '../features/chat/message/waiting-words.tsx'
import { t } from '../features/chat/thread/texts/en.ts'
import { lazyPart } from '../lib/lazy-part.ts'
import { useConnection } from '../sync/hooks.ts'
import { Delayed } from '../ui/skeleton.tsx'
import { Spinner } from '../ui/spinner.tsx'
import { threadView } from './-load-thread-view.ts'

export const ThreadView = lazyPart(threadView, <Opening />)

/** Without a network the chunk cannot load yet, and a message that was sent from an empty page waits too. */
function Opening() {
  const { status } = useConnection()
  return (
    <div className="flex min-h-0 flex-1 items-center justify-center text-xs text-muted-foreground">
      {status === 'offline' ? (
        <p role="status">
          <WaitingWords />
        </p>
      ) : (
        <Delayed label={t('opening')}>
          <Spinner />
        </Delayed>
      )}
    </div>
  )
}
