/** Lines above the text about drafts of earlier pages: interrupted uploads, and the draft of a closed tab. */

import { useStore } from '../../../lib/store.ts'
import { Button } from '../../../ui/button.tsx'
import { dismissOffered, draftOf, offeredDrafts, restoreOffered, setDraft } from './drafts.ts'
import { Notice } from './notice.tsx'
import { t } from './texts/t.ts'

export function DraftNotices({ draftKey }: { readonly draftKey: string }) {
  const { interrupted } = useStore(draftOf(draftKey))
  // One at a time, newest first.
  const offer = [...useStore(offeredDrafts)].findLast(([, { key }]) => key === draftKey)
  return (
    <>
      {interrupted.length > 0 && (
        <Notice tone="warning" dismiss={{ label: t('dismiss'), onClick: () => setDraft(draftKey, { interrupted: [] }) }}>
          {interruptedText(interrupted)}
        </Notice>
      )}
      {offer && <Offer id={offer[0]} {...offer[1]} />}
    </>
  )
}

const interruptedText = (names: readonly string[]): string => t('uploadInterrupted', { count: names.length, names: names.join(', ') })

type OfferProps = { readonly id: string; readonly text: string; readonly files: readonly { readonly name: string }[] }

function Offer({ id, text, files }: OfferProps) {
  const preview = text.trim() || files.map(({ name }) => name).join(', ')
  return (
    <Notice
      action={
        <Button size="sm" onClick={() => restoreOffered(id)}>
          {t('use')}
        </Button>
      }
      dismiss={{ label: t('dismissDraft'), onClick: () => dismissOffered(id) }}
    >
      <span className="line-clamp-1 break-all">{t('draftElsewhere', { preview })}</span>
    </Notice>
  )
}
