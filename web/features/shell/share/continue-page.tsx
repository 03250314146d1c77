/**
 * Copies a shared thread into the user's threads and opens the copy. The copy starts automatically if the user came from the
 * shared page. Otherwise the user confirms, because a link on another site must not add a thread.
 */
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useCallback, useEffect, useState } from 'react'
import { type Refusal, refusalIn } from '../../../../worker/contract/errors.ts'
import { sharePath } from '../../../../worker/contract/threads/shares.ts'
import { createId } from '../../../lib/create-id.ts'
import { usePageTitle } from '../../../lib/page-head.ts'
import { publicUrls } from '../../../lib/public-urls.ts'
import { refusalSentence } from '../../../lib/refusals/sentence.ts'
import { libText } from '../../../lib/texts/en.ts'
import { Button } from '../../../ui/button.tsx'
import { Spinner } from '../../../ui/spinner.tsx'
import { EmptyPage } from '../empty-page.tsx'
import { t } from './texts/en.ts'

type State = { readonly name: 'waiting' | 'copying' } | { readonly name: 'failed'; readonly reason: string }

export function ContinuePage() {
  const { shareId } = useParams({ from: '/live/continue/$shareId' })
  /** The id of the new thread, from the shared page, so reloading the page makes no second copy. */
  const { copy: copyId } = useSearch({ from: '/live/continue/$shareId' })
  const navigate = useNavigate()
  const [threadId] = useState(() => copyId ?? createId())
  const [startsAutomatically] = useState(() => isFrom(document.referrer, location.origin + sharePath(shareId)))
  const [state, setState] = useState<State>({ name: startsAutomatically ? 'copying' : 'waiting' })
  usePageTitle(null)
  const copy = useCallback(async () => {
    setState({ name: 'copying' })
    const failed = await copyShare(shareId, threadId)
    if (failed === null) await navigate({ to: '/$threadId', params: { threadId }, replace: true })
    else setState({ name: 'failed', reason: failed })
  }, [shareId, threadId, navigate])
  useEffect(() => {
    if (startsAutomatically) void copy()
  }, [startsAutomatically, copy])

  if (state.name === 'copying')
    return (
      <div className="flex flex-1 items-center justify-center">
        <Spinner label={t('copying')} className="size-5" />
      </div>
    )
  const isFailed = state.name === 'failed'
  return (
    <EmptyPage title={t(isFailed ? 'copyFailed' : 'continueTitle')} note={isFailed ? state.reason : t('continueDescription')}>
      <Button variant="primary" onClick={() => void copy()}>
        {t('continue')}
      </Button>
    </EmptyPage>
  )
}

/** The referrer of a shared page can have a query, such as one that a messenger adds to links. */
export function isFrom(referrer: string, page: string): boolean {
  if (!URL.canParse(referrer)) return false
  const { origin, pathname } = new URL(referrer)
  return origin + pathname === page
}

/** The codes of a copy that have other sentences elsewhere in the app. */
function sentenceOf(refusal: Refusal): string {
  if (refusal.code === 'not_found') return t('linkEnded')
  if (refusal.code === 'too_many_files') return t('tooManyFiles')
  if (refusal.code === 'fork_limit_reached') return t('copyLimitReached')
  return refusalSentence(refusal)
}

/** Null once the copy exists, else the reason. A repeated call with the same id copies nothing again. */
async function copyShare(shareId: string, threadId: string): Promise<string | null> {
  try {
    const response = await fetch(`${publicUrls().apiUrl}/api/shares/${encodeURIComponent(shareId)}/copy`, {
      method: 'POST',
      credentials: 'include',
      headers: { accept: 'application/json', 'content-type': 'application/json' },
      body: JSON.stringify({ threadId }),
    })
    return response.ok ? null : sentenceOf(refusalIn(await response.json().catch(() => null)))
  } catch {
    return libText('unreachable')
  }
}
