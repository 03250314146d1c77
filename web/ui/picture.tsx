/** A thumbnail that opens in the lightbox. A picture that is no longer available shows a note and does not open. */
import { ImageOff } from 'lucide-react'
import { useState } from 'react'
import { cx } from '../lib/cx.ts'
import { lazyPart } from '../lib/lazy-part.ts'
import { SectionErrorBoundary } from './section-error-boundary.tsx'
import { t } from './texts/en.ts'

const Lightbox = lazyPart(() => import('./lightbox.tsx').then((module) => module.Lightbox))

export type Image = {
  readonly url: string
  /** Address of the thumbnail. */
  readonly smallUrl?: string
  readonly name: string
  /** An SVG: it is sharp in any size. */
  readonly isDrawing?: boolean
}

type PictureProps = {
  /** All pictures of the lightbox, and the index of this one. */
  readonly images: readonly Image[]
  readonly at: number
  /** A local URL of the picture in this page. */
  readonly previewUrl?: string | undefined
  /** Shows the whole picture; otherwise it is cropped to fill the tile. */
  readonly isWhole?: boolean
  /** Replaces the default note when the picture cannot be shown. */
  readonly brokenNote?: string
  readonly className?: string
}

export function Picture({ images, at, previewUrl, isWhole = false, brokenNote, className }: PictureProps) {
  const [isOpen, setOpen] = useState(false)
  const [isBroken, setBroken] = useState(false)
  const image = images[at]
  if (!image) return null
  if (isBroken) {
    return (
      <span
        role="img"
        aria-label={brokenNote ? `${image.name}: ${brokenNote}` : t('imageUnavailable', { name: image.name })}
        className={cx(
          'flex flex-col items-center justify-center gap-1 bg-foreground/6 p-2 text-center text-xs text-muted-foreground',
          className,
        )}
      >
        <ImageOff className="size-4" aria-hidden="true" />
        {brokenNote ?? t('unavailable')}
      </span>
    )
  }
  return (
    <>
      <button
        type="button"
        aria-label={t('openNamed', { name: image.name })}
        onClick={() => setOpen(true)}
        // An edge, because the picture may have the colour of the page.
        className={cx(
          'relative block overflow-hidden after:pointer-events-none after:absolute after:inset-0 after:rounded-[inherit] after:inset-ring after:inset-ring-foreground/12',
          className,
        )}
      >
        <img
          src={previewUrl ?? image.smallUrl ?? image.url}
          alt=""
          loading="lazy"
          decoding="async"
          draggable={false}
          onError={() => setBroken(true)}
          className={cx('size-full bg-foreground/6', isWhole ? 'object-contain' : 'object-cover')}
        />
      </button>
      {isOpen && (
        <SectionErrorBoundary part="image" onClose={() => setOpen(false)}>
          <Lightbox images={images} at={at} onClose={() => setOpen(false)} />
        </SectionErrorBoundary>
      )}
    </>
  )
}
