/** One line of text, truncated if it does not fit. A parenthesised suffix stays visible, because it distinguishes similar names. */
import type { ReactNode } from 'react'
import { cx } from '../lib/cx.ts'

const withRemark = /^(.*\S)(\s\([^()]{1,12}\))$/u

type OneLineProps = {
  readonly text: string
  readonly className?: string
  /** Draws a part of the text, for example with highlighting. */
  readonly draw?: (text: string) => ReactNode
}

const asText = (part: string): ReactNode => part

export function OneLine({ text, className, draw = asText }: OneLineProps) {
  const [, beginning, remark] = withRemark.exec(text) ?? []
  if (!beginning)
    return (
      <span dir="auto" className={cx('block truncate', className)}>
        {draw(text)}
      </span>
    )
  return (
    <span dir="auto" className={cx('flex min-w-0', className)}>
      <span className="truncate">{draw(beginning)}</span>
      <span className="shrink-0 whitespace-pre">{remark}</span>
    </span>
  )
}
