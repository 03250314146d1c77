import { LockKeyhole } from 'lucide-react'
import { t } from './texts/en.ts'

/** What a temporary thread is: below the composer, on a phone at the top. */
export const TemporaryNote = () => (
  // Without height in a wide window, so that the composer does not move.
  <div className="max-md:absolute max-md:inset-x-0 max-md:top-[calc(4rem+var(--bar-notice-height,0px))] md:h-0">
    <p role="status" className="mx-auto max-w-reading px-6 text-center text-xs text-muted-foreground text-balance">
      <LockKeyhole aria-hidden="true" className="mr-1.5 inline size-3.5 align-[-0.2em]" />
      {t('temporaryDescription')}
    </p>
  </div>
)
