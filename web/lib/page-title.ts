import { useEffect } from 'react'

export const productName = 'Parley'

/** The window's title: the given one while mounted, else the product's name. */
export function usePageTitle(title: string | null | undefined): void {
  useEffect(() => {
    document.title = title || productName
  }, [title])
}
