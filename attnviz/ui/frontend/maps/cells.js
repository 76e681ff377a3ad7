// The positions of tokens on a map, cell by cell, and the edge of a drawing between cells. No document.

/**
 * The layout of tokens on a map: the grid row by row; below it, after an empty row, the tokens without a position.
 * Token numbers begin with the latter (`prefix` of them), as in the model.
 */
export class Cells {
  constructor(rows, columns, prefix = 0) {
    this.rows = rows;
    this.columns = columns;
    this.prefix = prefix;
    this.tokens = prefix + rows * columns;
    this.height = rows + (prefix ? 1 + Math.ceil(prefix / columns) : 0);
    this.token = new Int32Array(this.height * columns).fill(-1);
    this.cell = new Int32Array(this.tokens);
    for (let token = 0; token < this.tokens; token++) {
      this.cell[token] = token < prefix ? (rows + 1) * columns + token : token - prefix;
      this.token[this.cell[token]] = token;
    }
  }

  /** [row, column] of a token in a view, counted from 0; [-1, i] for the i-th token without a position. */
  place(token) {
    if (token < this.prefix) return [-1, token];
    return [Math.floor((token - this.prefix) / this.columns), (token - this.prefix) % this.columns];
  }

  /** The token at [row, column], or -1. @param {number[]} place */
  at([row, column]) {
    if (row === -1) return column >= 0 && column < this.prefix ? column : -1;
    const inside = row >= 0 && row < this.rows && column >= 0 && column < this.columns;
    return inside ? this.prefix + row * this.columns + column : -1;
  }

  /**
   * The token at a cell of the map; from an empty cell, the next one.
   * @param {number} row
   * @param {number} column
   * @param {boolean} up whether the movement is upwards: it skips the empty row between the grid and the other tokens
   */
  tokenNear(row, column, up) {
    const there = row === this.rows ? row + (up ? -1 : 1) : row;
    const token = this.token[there * this.columns + column];
    return token < 0 ? this.prefix - 1 : token;
  }
}

/**
 * The pairs of neighbouring cells that are separated by the edge of the ink.
 * @param {Numbers} picture intensities, row by row
 * @returns {{cell: number, below: boolean}[]} the edge is at the right of the cell, or below it
 */
export function inkEdge(picture, rows, columns) {
  // Half of the maximum: the middle of the slope left by anti-aliasing, in faint pictures and strong ones.
  let most = 0;
  for (const value of picture) most = Math.max(most, value);
  const threshold = most / 2;
  const inside = (row, column) => threshold > 0 && picture[row * columns + column] >= threshold;
  const edge = [];
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const cell = row * columns + column;
      if (column + 1 < columns && inside(row, column) !== inside(row, column + 1)) edge.push({ cell, below: false });
      if (row + 1 < rows && inside(row, column) !== inside(row + 1, column)) edge.push({ cell, below: true });
    }
  }
  return edge;
}
