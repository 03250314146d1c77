/** The user's shared links. The list is live: a link that another device creates or revokes appears or disappears at once. */
import { Link2 } from 'lucide-react'
import { useState } from 'react'
import { type SharedLink, shareUrl, useIsSharingOff, useRevokeShare } from '../../sync/shares.ts'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { LinkItem } from '../../ui/link-item.tsx'
import { Section } from '../../ui/section.tsx'
import { toastRefusal } from '../../ui/toast-refusal.ts'
import { t } from './texts/en.ts'

/** Chosen: the section stays short, and few users have more links. */
const shownAtFirst = 5

type SharedLinksSectionProps = { readonly shares: readonly SharedLink[]; readonly isComplete: boolean }

export function SharedLinksSection({ shares, isComplete }: SharedLinksSectionProps) {
  const { revoking, revoke } = useRevokeShare()
  const [showsAll, setShowsAll] = useState(false)
  const isOff = useIsSharingOff()
  const shown = showsAll ? shares : shares.slice(0, shownAtFirst)
  return (
    <Section title={t('sharedLinks')} description={t(isOff ? 'sharedLinksOff' : 'sharedLinksDescription')}>
      {shares.length === 0 && (
        <EmptyState icon={Link2} isLoading={!isComplete}>
          {t('noSharedLinks')}
        </EmptyState>
      )}
      {shares.length > 0 && (
        <ul className="divide-y rounded-lg border">
          {shown.map((share) => (
            <LinkItem
              key={share.id}
              title={share.title ?? t('untitledLink')}
              url={shareUrl(share.id)}
              link={share}
              isRevoking={revoking.has(share.id)}
              onRevoke={() => void toastRefusal(revoke(share.id))}
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
