/** Pictures at full size, one at a time. Arrow keys page, plus and minus zoom, Escape and Back close, and the focus returns. */
import { ChevronLeft, ChevronRight, Download, X, ZoomIn, ZoomOut } from 'lucide-react'
import { type KeyboardEvent, useEffect, useEffectEvent, useState } from 'react'
import { cx } from '../lib/cx.ts'
import { libText } from '../lib/texts/en.ts'
import { IconButton } from './icon-button.tsx'
import { Modal } from './overlay-panels.tsx'
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

/*
 * Adds a history entry while an overlay is open, so that Back on a phone closes the overlay and not the page. The entry keeps the address
 * and the router's state, so the router sees no navigation. When the overlay closes in another way, the entry is removed unless the user
 * has navigated meanwhile. After a reload the entry is a duplicate of the one before.
 */

/** The required part of the browser API. */
type StepWindow = {
  readonly history: Pick<History, 'state' | 'pushState' | 'back'>
  readonly addEventListener: (type: 'popstate', run: () => void) => void
  readonly removeEventListener: (type: 'popstate', run: () => void) => void
}

const mark = 'parleyStep'

/** An entry about to be removed; an overlay that opens in the same task reuses it. */
type PendingBack = { readonly id: number; readonly timer: ReturnType<typeof setTimeout> }

export function backEntries(page: StepWindow): (onBack: () => void) => () => void {
  let lastId = Date.now()
  let pendingBack: PendingBack | null = null
  const isOn = (id: number): boolean => page.history.state?.[mark] === id

  return (onBack) => {
    let id: number
    if (pendingBack && isOn(pendingBack.id)) {
      clearTimeout(pendingBack.timer)
      id = pendingBack.id
      pendingBack = null
    } else {
      lastId += 1
      id = lastId
      page.history.pushState({ ...page.history.state, [mark]: id }, '')
    }
    const onPop = () => {
      if (!isOn(id)) onBack()
    }
    page.addEventListener('popstate', onPop)
    return () => {
      page.removeEventListener('popstate', onPop)
      const timer = setTimeout(() => {
        pendingBack = null
        if (isOn(id)) page.history.back()
      })
      pendingBack = { id, timer }
    }
  }
}

let openStep: ReturnType<typeof backEntries> | undefined

function openPageStep(onBack: () => void) {
  openStep ??= backEntries(window)
  return openStep(onBack)
}

/** Active while the caller is mounted. */
function useCloseOnBack(onBack: () => void): void {
  const goBack = useEffectEvent(onBack)
  useEffect(() => openPageStep(() => goBack()), [])
}
