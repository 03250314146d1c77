/** Attaches files that are dropped anywhere on the page to the next message. */
import { useEffect, useEffectEvent, useState } from 'react'
import { lazyPart } from '../../../lib/lazy-part.ts'
import { isModalOpen } from '../../../lib/shortcuts.ts'

const DropOverlay = lazyPart(() => import('./drop-overlay.tsx').then((module) => module.DropOverlay))

export function DropZone({ onFiles }: { readonly onFiles: (files: readonly File[]) => void }) {
  const [isOver, setOver] = useState(false)
  const attach = useEffectEvent(onFiles)
  useEffect(() => {
    // Entering a child fires `dragenter` before `dragleave` of the parent: the depth tells if the pointer is still inside.
    let depth = 0
    const end = () => {
      depth = 0
      setOver(false)
    }
    const on = (name: 'dragenter' | 'dragover' | 'dragleave' | 'drop', act: (event: DragEvent) => void) => {
      const listener = (event: DragEvent) => {
        if (!event.dataTransfer?.types.includes('Files') || isModalOpen()) return
        event.preventDefault()
        act(event)
      }
      window.addEventListener(name, listener)
      return () => window.removeEventListener(name, listener)
    }
    const undo = [
      on('dragenter', () => {
        depth += 1
        setOver(true)
      }),
      on('dragover', ({ dataTransfer }) => {
        if (dataTransfer) dataTransfer.dropEffect = 'copy'
      }),
      on('dragleave', () => {
        depth -= 1
        if (depth <= 0) end()
      }),
      on('drop', ({ dataTransfer }) => {
        end()
        attach([...(dataTransfer?.files ?? [])])
      }),
    ]
    return () => {
      for (const off of undo) off()
    }
  }, [])
  return isOver && <DropOverlay />
}
