/** Pictures at full size, one at a time. Arrow keys page, plus and minus zoom, Escape and Back close, and the focus returns. */
import { ChevronLeft, ChevronRight, Download, X, ZoomIn, ZoomOut } from 'lucide-react'
import { type KeyboardEvent, useState } from 'react'
import { cx } from '../lib/cx.ts'
import { useCloseOnBack } from '../lib/history-step.ts'
import { libText } from '../lib/texts/en.ts'
import { IconButton } from './icon-button.tsx'
import { Modal } from './modal.tsx'
import type { Image } from './picture.tsx'
import { t } from './texts/en.ts'
import { tooltip } from './tooltip.tsx'

type LightboxProps = { readonly images: readonly Image[]; readonly at: number; readonly onClose: () => void }

const onDark = 'text-white/80 hover:not-aria-disabled:bg-white/15 hover:not-aria-disabled:text-white'

export function Lightbox({ images, at: first, onClose }: LightboxProps) {
  const [at, setAt] = useState(first)
  const [isLarge, setLarge] = useState(false)
  const image = images[at] ?? images[0]
  useCloseOnBack(onClose)
  if (!image) return null
  const show = (next: number) => {
    setAt((next + images.length) % images.length)
    setLarge(false)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'ArrowLeft' && !isLarge) show(at - 1)
    else if (event.key === 'ArrowRight' && !isLarge) show(at + 1)
    else if (event.key === '+' || event.key === '=') setLarge(true)
    else if (event.key === '-' || event.key === '0') setLarge(false)
    else return
    event.preventDefault()
  }
  const zoom = t(isLarge ? 'fitToWindow' : 'fullSize')
  return (
    <Modal
      aria-label={image.name}
      hasBackdrop={false}
      onClose={onClose}
      onKeyDown={onKeyDown}
      className="flex animate-appear flex-col overflow-hidden bg-black text-white"
    >
      <header className="flex h-14 shrink-0 items-center gap-1 px-3 pt-[env(safe-area-inset-top)]">
        <p className="min-w-0 flex-1 truncate px-1 text-sm" dir="auto">
          {image.name}
        </p>
        {images.length > 1 && (
          <p role="status" className="px-2 text-sm whitespace-nowrap text-white/70 tabular-nums">
            {t('atOf', { at: at + 1, count: images.length })}
          </p>
        )}
        <IconButton label={zoom} className={onDark} onClick={() => setLarge(!isLarge)}>
          {isLarge ? <ZoomOut /> : <ZoomIn />}
        </IconButton>
        <a
          href={image.url}
          download={image.name}
          aria-label={t('download')}
          {...tooltip(t('download'))}
          className={cx('inline-flex size-9 touch-target items-center justify-center rounded-lg [&_svg]:size-4', onDark)}
        >
          <Download aria-hidden="true" />
        </a>
        <IconButton label={libText('close')} data-dialog-dismiss className={onDark} onClick={onClose}>
          <X />
        </IconButton>
      </header>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: beside the buttons, for pointers */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes, plus and minus zoom */}
      <div
        className={cx('flex min-h-0 flex-1', isLarge ? 'overflow-auto' : 'items-center justify-center p-3 pt-0')}
        onClick={(event) => (event.target === event.currentTarget ? onClose() : setLarge(!isLarge))}
      >
        <img
          key={image.url}
          src={image.url}
          alt={t('largeImage', { name: image.name })}
          draggable={false}
          className={isLarge ? 'm-auto max-w-none cursor-zoom-out' : 'max-h-full max-w-full cursor-zoom-in object-contain'}
        />
      </div>
      {images.length > 1 && (
        <>
          <IconButton
            label={t('previousImage')}
            size="lg"
            className={cx('absolute top-1/2 left-3 bg-black/40', onDark)}
            onClick={() => show(at - 1)}
          >
            <ChevronLeft />
          </IconButton>
          <IconButton
            label={t('nextImage')}
            size="lg"
            className={cx('absolute top-1/2 right-3 bg-black/40', onDark)}
            onClick={() => show(at + 1)}
          >
            <ChevronRight />
          </IconButton>
        </>
      )}
    </Modal>
  )
}
