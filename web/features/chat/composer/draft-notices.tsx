/** Lines above the text about drafts of earlier pages: interrupted uploads, and the draft of a closed tab. */

import { useStore } from '../../../lib/store.ts'
import { Button } from '../../../ui/button.tsx'
import { dismissOffered, draftOf, offeredDrafts, restoreOffered, setDraft } from './drafts.ts'
import { Notice } from './notice.tsx'
import { t } from './texts/en.ts'

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
      {offer && (
        <DraftOffer
          text={t('draftElsewhere', { preview: offer[1].text.trim() || offer[1].files.map(({ name }) => name).join(', ') })}
          onUse={() => restoreOffered(offer[0])}
          onDismiss={() => dismissOffered(offer[0])}
        />
      )}
    </>
  )
}

const interruptedText = (names: readonly string[]): string => t('uploadInterrupted', { count: names.length, names: names.join(', ') })

type DraftOfferProps = { readonly text: string; readonly onUse: () => void; readonly onDismiss: () => void }

export const DraftOffer = ({ text, onUse, onDismiss }: DraftOfferProps) => (
  <Notice
    action={
      <Button size="sm" onClick={onUse}>
        {t('use')}
      </Button>
    }
    dismiss={{ label: t('dismissDraft'), onClick: onDismiss }}
  >
    <span className="line-clamp-1 break-all">{text}</span>
  </Notice>
)
