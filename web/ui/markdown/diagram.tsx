/**
 * A diagram in the words of Mermaid. The library is fetched with the first one whose fence is closed; until it is here, and where it fails or
 * refuses, the block of code stands there. What it draws is shown as a picture, in which nothing can act: no script, no link, no address.
 */
import { ChartNetwork, CodeXml } from 'lucide-react'
import type { Nodes, Root } from 'mdast'
import { memo, type ReactNode, useEffect, useState } from 'react'
import { IconButton } from '../icon-button.tsx'
import { CodeBlock, CopyCode } from './code-block.tsx'
import { type Drawing, drawDiagram, drawnBefore } from './drawings.ts'
import { useThemeKey } from './theme-key.ts'
import './diagram.css'

export const isDiagram = (language: string): boolean => language.toLowerCase() === 'mermaid'

/** A remark plugin: marks the diagrams whose fence is closed. One that still grows is not drawn. */
export const closedDiagrams =
  () =>
  (tree: Root, file: { toString(): string }): void => {
    const source = String(file)
    if (/mermaid/i.test(source)) mark(tree, source)
  }

const mark = (node: Nodes, source: string): void => {
  if (node.type === 'code' && isDiagram(node.lang ?? '')) {
    const own = source.slice(node.position?.start.offset, node.position?.end.offset)
    if (/\n[ \t>]*(?:`{3,}|~{3,})[ \t]*$/.test(own)) node.data = { ...node.data, hProperties: { 'data-diagram': true } }
  }
  if ('children' in node) for (const child of node.children) mark(child, source)
}

export const Diagram = memo(function Diagram({ code }: { readonly code: string }) {
  const theme = useThemeKey()
  const [drawing, setDrawing] = useState<Drawing | null>(() => drawnBefore(code, theme))
  const [showsCode, setShowsCode] = useState(false)
  useEffect(() => {
    let isWanted = true
    // In another theme's colours it stays until it is there in those of this one.
    void drawDiagram(code, theme).then((next) => {
      if (isWanted && next) setDrawing(next)
    })
    return () => {
      isWanted = false
    }
  }, [code, theme])

  if (drawing?.kind !== 'drawn') return <CodeBlock code={code} language="mermaid" note={drawing?.reason} />
  const toggle = (label: string, icon: ReactNode) => (
    <IconButton size="sm" label={label} onClick={() => setShowsCode(!showsCode)}>
      {icon}
    </IconButton>
  )
  if (showsCode) return <CodeBlock code={code} language="mermaid" action={toggle('Show diagram', <ChartNetwork />)} />
  const { url, width, height, name } = drawing
  return (
    <div className="md-code">
      <div className="md-code-head">
        <span className="truncate">mermaid</span>
        <span className="flex">
          {toggle('Show code', <CodeXml />)}
          <CopyCode code={code} />
        </span>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a diagram wider than the block is scrolled with the keyboard too */}
      <div className="md-diagram" tabIndex={0}>
        <img src={url} alt={name} width={width} height={height} style={{ width: `min(${width}px, max(100%, ${width * smallest}px))` }} />
      </div>
    </div>
  )
})

/** So far it shrinks before it scrolls: its words have to be read. */
const smallest = 0.7
