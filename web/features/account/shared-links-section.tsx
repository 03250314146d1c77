/** The user's shared links. The list is live: a link that another device creates or revokes appears or goes at once. */
import { useState } from 'react'
import { formatDate } from '../../lib/i18n/intl-format.ts'
import { refusalSentence } from '../../lib/refusals/sentence.ts'
import { serverNowMs } from '../../lib/server-clock.ts'
import { useMomentsPassed } from '../../lib/use-moments-passed.ts'
import { settled, useActions } from '../../sync/actions.ts'
import type { ShareRow } from '../../sync/rows.ts'
import { shareUrl, useIsSharingOff, useShares } from '../../sync/shares.ts'
import { Button } from '../../ui/button.tsx'
import { LinkItem } from '../../ui/link-item.tsx'
import { Section } from '../../ui/section.tsx'
import { toast } from '../../ui/toaster.tsx'
import { t } from './texts/t.ts'

/** Chosen: the section stays short, and few users have more links. */
const shownAtFirst = 5

export function SharedLinksSection() {
  const { shares } = useShares()
  const { revokeShare } = useActions()
  const [showsAll, setShowsAll] = useState(false)
  const isOff = useIsSharingOff()
  useMomentsPassed(shares.flatMap(({ expiresAt }) => expiresAt ?? []))
  const nowMs = serverNowMs()
  const revoke = async (id: string) => {
    const outcome = await settled(revokeShare(id))
    if (!outcome.ok) toast('error', refusalSentence(outcome.refusal))
  }
  const shown = showsAll ? shares : shares.slice(0, shownAtFirst)
  return (
    <Section title={t('sharedLinks')} description={t(isOff ? 'sharedLinksOff' : 'sharedLinksHint')}>
      {shares.length === 0 ? (
        <p className="text-muted-foreground">{t('noSharedLinks')}</p>
      ) : (
        <ul className="divide-y rounded-lg border">
          {shown.map((share) => (
            <LinkItem
              key={share.id}
              name={share.title ?? t('untitledLink')}
              url={shareUrl(share.id)}
              note={noteOf(share, nowMs)}
              onRevoke={() => void revoke(share.id)}
            />
          ))}
        </ul>
      )}
      {shown.length < shares.length && (
        <Button className="mt-3" onClick={() => setShowsAll(true)}>
          {t('showAllLinks', { links: shares.length })}
        </Button>
      )}
    </Section>
  )
}

function noteOf({ createdAt, expiresAt, name }: ShareRow, nowMs: number): string {
  const date = (atMs: number) => formatDate(atMs, 'medium')
  const end = expiresAt == null ? t('linkNeverExpires') : t(expiresAt > nowMs ? 'linkExpires' : 'linkExpired', { date: date(expiresAt) })
  return [t('linkCreated', { date: date(createdAt) }), end, ...(name ? [name] : [])].join(' · ')
}
