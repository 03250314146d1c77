/** Attaches files that are dropped anywhere on the page to the next message. */
import { FileUp } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { createPortal } from 'react-dom'
import { maxFilesPerMessage } from '../../../../worker/contract/limits.ts'
import { isModalOpen } from '../../../lib/shortcuts.ts'
import type { ModelRow } from '../../../sync/rows.ts'
import { readableBy } from './attach-button.tsx'

type DropZoneProps = { readonly model: ModelRow | undefined; readonly onFiles: (files: readonly File[]) => void }

export function DropZone({ model, onFiles }: DropZoneProps) {
  const [isOver, setOver] = useState(false)
  const latest = useRef(onFiles)
  latest.current = onFiles
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
        latest.current([...(dataTransfer?.files ?? [])])
      }),
    ]
    return () => {
      for (const off of undo) off()
    }
  }, [])
  if (!isOver) return null
  const { read, unread } = readableBy(model)
  return createPortal(
    <div className="pointer-events-none fixed inset-0 z-40 flex animate-appear items-center justify-center bg-background/85 p-4">
      {/* An opaque background, because text is below it. */}
      <div className="flex max-w-lg flex-col items-center gap-3 rounded-2xl border-2 border-dashed border-accent/70 bg-raised px-8 py-12 text-center text-pretty shadow-float sm:px-16">
        <FileUp className="size-7 text-accent" aria-hidden="true" />
        <p className="text-lg font-medium">Drop files here</p>
        <p className="text-muted-foreground">
          {read.charAt(0).toUpperCase() + read.slice(1)}, up to {maxFilesPerMessage} a message
        </p>
        {unread !== null && <p className="text-sm text-muted-foreground">{unread}</p>}
      </div>
    </div>,
    document.body,
  )
}
