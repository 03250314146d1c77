/** Shown before the first word: waiting for the model or the network. */
import { useEffect, useEffectEvent, useState } from 'react'
import { cx } from '../../../lib/cx.ts'
import { useStored } from '../../../lib/store.ts'
import { useConnection } from '../../../sync/hooks.ts'
import { unconfirmedKeys } from '../../../sync/outbox.ts'
import { messageKey } from '../../../sync/repeatable-writes.ts'
import { Spinner } from '../../../ui/spinner.tsx'
import { liveSinceMs, useLiveAnswer } from '../stream/live-answers.ts'
import { t } from './texts/en.ts'
import { WaitingWords } from './waiting-words.tsx'

type WaitingProps = { readonly threadId: string; readonly answerId: string; readonly questionId: string | null }

export function Waiting({ threadId, answerId, questionId }: WaitingProps) {
  const { status } = useConnection()
  const isUnsent = useIsUnsent(questionId)
  const { modelName } = useLiveAnswer(threadId, answerId).metadata
  const seconds = useSecondsSince(liveSinceMs(answerId))
  if (status === 'offline')
    // A message that waits shows its state below it.
    return <p className="flex h-7 items-center text-xs text-muted-foreground">{!isUnsent && <WaitingWords />}</p>
  return <WaitingSign modelName={modelName} seconds={seconds} />
}

/** The mark with its dot breathing, and after a second also text: most models start within this time. */
export function WaitingSign({ modelName, seconds }: { readonly modelName: string | undefined; readonly seconds: number }) {
  return (
    <p className="flex h-7 items-center gap-2.5 text-xs text-muted-foreground">
      <Spinner />
      <span className={cx('tabular-nums', seconds > 0 ? 'animate-appear' : 'sr-only')}>
        {modelName && seconds > 0 ? t('thinkingFor', { model: modelName, seconds }) : t('waitingForAnswer')}
      </span>
    </p>
  )
}

function useSecondsSince(sinceMs: number): number {
  const secondsNow = () => Math.floor((Date.now() - sinceMs) / 1000)
  const [seconds, setSeconds] = useState(secondsNow)
  const tick = useEffectEvent(() => setSeconds(secondsNow()))
  useEffect(() => {
    const timer = setInterval(tick, 1000)
    return () => clearInterval(timer)
  }, [])
  return seconds
}

/** Shown at a message that was sent offline, until the server has it. */
const useIsUnsent = (messageId: string | null): boolean =>
  useStored(unconfirmedKeys, (keys) => messageId !== null && keys.has(messageKey(messageId)))

export function WaitsForConnection({ messageId }: { readonly messageId: string }) {
  return useIsUnsent(messageId) ? <Sign /> : null
}

function Sign() {
  const { status } = useConnection()
  return (
    <span role="status" className="min-w-0 text-xs text-muted-foreground">
      {(status === 'offline' || status === 'error') && <WaitingWords />}
    </span>
  )
}
