// A list made item by item.

/**
 * Makes a list of a length. A spread steps through an iterator, which takes several times as long; an array that grows needs
 * more memory.
 */
export function listOf<Item>(length: number, itemAt: (index: number) => Item): Item[] {
  const list = new Array<Item>(length);
  for (let index = 0; index < length; index++) list[index] = itemAt(index);
  return list;
}
